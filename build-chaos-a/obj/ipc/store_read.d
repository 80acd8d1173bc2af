build-chaos/obj/ipc/store_read.o: ipc/store_read.c ipc/store_int.h \
 ipc/base/buf.h ipc/store.h ipc/base/err.h kube/value.h ipc/mp.h \
 kube/json.h
ipc/store_int.h:
ipc/base/buf.h:
ipc/store.h:
ipc/base/err.h:
kube/value.h:
ipc/mp.h:
kube/json.h:
