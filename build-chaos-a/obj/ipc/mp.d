build-chaos/obj/ipc/mp.o: ipc/mp.c ipc/mp.h ipc/base/buf.h kube/value.h
ipc/mp.h:
ipc/base/buf.h:
kube/value.h:
