build-chaos/obj/ipc/store_env.o: ipc/store_env.c ipc/store_int.h \
 ipc/base/buf.h ipc/store.h ipc/base/err.h kube/value.h ipc/base/log.h
ipc/store_int.h:
ipc/base/buf.h:
ipc/store.h:
ipc/base/err.h:
kube/value.h:
ipc/base/log.h:
