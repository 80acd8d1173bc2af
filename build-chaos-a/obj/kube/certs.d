build-chaos/obj/kube/certs.o: kube/certs.c kube/certs.h ipc/base/err.h \
 ipc/base/buf.h
kube/certs.h:
ipc/base/err.h:
ipc/base/buf.h:
