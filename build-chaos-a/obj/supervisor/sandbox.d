build-chaos/obj/supervisor/sandbox.o: supervisor/sandbox.c \
 supervisor/sandbox.h ipc/base/buf.h supervisor/services.h ipc/base/log.h \
 supervisor/supervisor.h ipc/base/err.h ipc/control.h kube/value.h \
 ipc/ctl.h ipc/options.h ipc/zloop.h supervisor/backoff.h
supervisor/sandbox.h:
ipc/base/buf.h:
supervisor/services.h:
ipc/base/log.h:
supervisor/supervisor.h:
ipc/base/err.h:
ipc/control.h:
kube/value.h:
ipc/ctl.h:
ipc/options.h:
ipc/zloop.h:
supervisor/backoff.h:
