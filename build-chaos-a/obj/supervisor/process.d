build-chaos/obj/supervisor/process.o: supervisor/process.c \
 supervisor/supervisor.h ipc/base/buf.h ipc/base/err.h ipc/control.h \
 kube/value.h ipc/ctl.h ipc/options.h ipc/zloop.h supervisor/backoff.h \
 supervisor/sandbox.h supervisor/services.h ipc/base/log.h
supervisor/supervisor.h:
ipc/base/buf.h:
ipc/base/err.h:
ipc/control.h:
kube/value.h:
ipc/ctl.h:
ipc/options.h:
ipc/zloop.h:
supervisor/backoff.h:
supervisor/sandbox.h:
supervisor/services.h:
ipc/base/log.h:
