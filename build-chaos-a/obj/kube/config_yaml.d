build-chaos/obj/kube/config_yaml.o: kube/config_yaml.c kube/config_int.h \
 kube/config.h ipc/base/err.h kube/value.h
kube/config_int.h:
kube/config.h:
ipc/base/err.h:
kube/value.h:
