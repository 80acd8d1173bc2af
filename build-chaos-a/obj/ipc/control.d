build-chaos/obj/ipc/control.o: ipc/control.c ipc/control.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h ipc/mp.h
ipc/control.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
ipc/mp.h:
