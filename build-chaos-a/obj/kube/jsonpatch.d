build-chaos/obj/kube/jsonpatch.o: kube/jsonpatch.c kube/jsonpatch.h \
 ipc/base/err.h kube/value.h ipc/base/buf.h
kube/jsonpatch.h:
ipc/base/err.h:
kube/value.h:
ipc/base/buf.h:
