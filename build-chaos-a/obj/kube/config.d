build-chaos/obj/kube/config.o: kube/config.c kube/config.h ipc/base/err.h \
 ipc/base/buf.h kube/config_int.h kube/value.h
kube/config.h:
ipc/base/err.h:
ipc/base/buf.h:
kube/config_int.h:
kube/value.h:
