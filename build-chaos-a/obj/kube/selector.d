build-chaos/obj/kube/selector.o: kube/selector.c kube/selector.h \
 ipc/base/buf.h ipc/base/err.h kube/value.h kube/names.h
kube/selector.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/names.h:
