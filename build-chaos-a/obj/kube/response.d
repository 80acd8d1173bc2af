build-chaos/obj/kube/response.o: kube/response.c kube/json.h \
 ipc/base/buf.h ipc/base/err.h kube/value.h kube/rest_int.h kube/rest.h \
 kube/config.h kube/resource.h
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/rest_int.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
