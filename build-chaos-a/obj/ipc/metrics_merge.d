build-chaos/obj/ipc/metrics_merge.o: ipc/metrics_merge.c \
 ipc/metrics_int.h ipc/metrics.h ipc/base/buf.h ipc/base/err.h \
 kube/value.h
ipc/metrics_int.h:
ipc/metrics.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
