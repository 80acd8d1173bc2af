build-chaos/obj/kube/exec_plugin.o: kube/exec_plugin.c kube/exec_plugin.h \
 kube/config.h ipc/base/err.h ipc/base/buf.h kube/json.h kube/value.h \
 kube/time.h
kube/exec_plugin.h:
kube/config.h:
ipc/base/err.h:
ipc/base/buf.h:
kube/json.h:
kube/value.h:
kube/time.h:
