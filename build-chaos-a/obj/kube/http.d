build-chaos/obj/kube/http.o: kube/http.c ipc/base/log.h kube/rest_int.h \
 ipc/base/buf.h kube/rest.h ipc/base/err.h kube/config.h kube/resource.h \
 kube/value.h
ipc/base/log.h:
kube/rest_int.h:
ipc/base/buf.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
kube/value.h:
