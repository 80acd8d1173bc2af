build-chaos/obj/ipc/delta.o: ipc/delta.c ipc/delta_int.h ipc/delta.h \
 ipc/base/buf.h ipc/base/err.h kube/value.h ipc/mp.h
ipc/delta_int.h:
ipc/delta.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
ipc/mp.h:
