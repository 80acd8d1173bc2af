build-chaos/obj/rules/fielderror.o: rules/fielderror.c rules/fielderror.h \
 ipc/base/buf.h ipc/base/err.h kube/value.h kube/json.h
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/json.h:
