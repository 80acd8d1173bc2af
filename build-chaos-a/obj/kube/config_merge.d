build-chaos/obj/kube/config_merge.o: kube/config_merge.c ipc/base/buf.h \
 kube/base64.h kube/config_int.h kube/config.h ipc/base/err.h \
 kube/value.h
ipc/base/buf.h:
kube/base64.h:
kube/config_int.h:
kube/config.h:
ipc/base/err.h:
kube/value.h:
