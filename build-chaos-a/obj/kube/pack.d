build-chaos/obj/kube/pack.o: kube/pack.c kube/json.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
