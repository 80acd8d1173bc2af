build-chaos/obj/supervisor/handover_text.o: supervisor/handover_text.c \
 supervisor/handover.h ipc/base/buf.h ipc/base/err.h \
 supervisor/supervisor.h ipc/control.h kube/value.h ipc/ctl.h \
 ipc/options.h ipc/zloop.h supervisor/backoff.h supervisor/sandbox.h \
 supervisor/services.h
supervisor/handover.h:
ipc/base/buf.h:
ipc/base/err.h:
supervisor/supervisor.h:
ipc/control.h:
kube/value.h:
ipc/ctl.h:
ipc/options.h:
ipc/zloop.h:
supervisor/backoff.h:
supervisor/sandbox.h:
supervisor/services.h:
