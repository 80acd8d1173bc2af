build-chaos/obj/kube/retry.o: kube/retry.c kube/rest_int.h ipc/base/buf.h \
 kube/rest.h ipc/base/err.h kube/config.h kube/resource.h kube/value.h
kube/rest_int.h:
ipc/base/buf.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
kube/value.h:
