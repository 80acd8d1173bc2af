build-chaos/obj/kube/quantity.o: kube/quantity.c kube/quantity.h \
 ipc/base/buf.h kube/value.h
kube/quantity.h:
ipc/base/buf.h:
kube/value.h:
