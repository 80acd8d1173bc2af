build-chaos/obj/supervisor/handover.o: supervisor/handover.c \
 supervisor/handover.h ipc/base/buf.h ipc/base/err.h ipc/base/log.h \
 supervisor/supervisor.h ipc/control.h kube/value.h ipc/ctl.h \
 ipc/options.h ipc/zloop.h supervisor/backoff.h supervisor/sandbox.h \
 supervisor/services.h
supervisor/handover.h:
ipc/base/buf.h:
ipc/base/err.h:
ipc/base/log.h:
supervisor/supervisor.h:
ipc/control.h:
kube/value.h:
ipc/ctl.h:
ipc/options.h:
ipc/zloop.h:
supervisor/backoff.h:
supervisor/sandbox.h:
supervisor/services.h:
