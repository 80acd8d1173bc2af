build-chaos/obj/kube/ownerref.o: kube/ownerref.c kube/ownerref.h \
 kube/resource.h ipc/base/buf.h kube/value.h
kube/ownerref.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
