build-chaos/obj/ipc/metrics.o: ipc/metrics.c ipc/metrics.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h ipc/metrics_int.h
ipc/metrics.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
ipc/metrics_int.h:
