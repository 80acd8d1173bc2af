build-chaos/obj/kube/json.o: kube/json.c kube/json.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
