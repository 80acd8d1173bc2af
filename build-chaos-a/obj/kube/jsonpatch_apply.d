build-chaos/obj/kube/jsonpatch_apply.o: kube/jsonpatch_apply.c \
 kube/json.h ipc/base/buf.h ipc/base/err.h kube/value.h kube/jsonpatch.h
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/jsonpatch.h:
