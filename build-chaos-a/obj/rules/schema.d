build-chaos/obj/rules/schema.o: rules/schema.c rules/schema.h \
 kube/value.h rules/fielderror.h ipc/base/buf.h ipc/base/err.h \
 kube/quantity.h
rules/schema.h:
kube/value.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/quantity.h:
