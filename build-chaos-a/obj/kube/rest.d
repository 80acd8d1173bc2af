build-chaos/obj/kube/rest.o: kube/rest.c kube/json.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h kube/rest_int.h kube/rest.h kube/config.h \
 kube/resource.h
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/rest_int.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
