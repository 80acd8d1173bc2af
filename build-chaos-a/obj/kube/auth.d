build-chaos/obj/kube/auth.o: kube/auth.c ipc/base/log.h kube/config_int.h \
 kube/config.h ipc/base/err.h kube/value.h kube/exec_plugin.h \
 kube/rest_int.h ipc/base/buf.h kube/rest.h kube/resource.h kube/time.h
ipc/base/log.h:
kube/config_int.h:
kube/config.h:
ipc/base/err.h:
kube/value.h:
kube/exec_plugin.h:
kube/rest_int.h:
ipc/base/buf.h:
kube/rest.h:
kube/resource.h:
kube/time.h:
