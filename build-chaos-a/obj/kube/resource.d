build-chaos/obj/kube/resource.o: kube/resource.c kube/resource.h \
 ipc/base/buf.h
kube/resource.h:
ipc/base/buf.h:
