build-chaos/obj/ipc/metrics_file.o: ipc/metrics_file.c ipc/metrics_int.h \
 ipc/metrics.h ipc/base/buf.h ipc/base/err.h kube/value.h ipc/base/log.h
ipc/metrics_int.h:
ipc/metrics.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
ipc/base/log.h:
