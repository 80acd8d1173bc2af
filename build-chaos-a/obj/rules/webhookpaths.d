build-chaos/obj/rules/webhookpaths.o: rules/webhookpaths.c \
 rules/webhookpaths.h kube/value.h rules/gates.h ipc/base/buf.h \
 ipc/base/err.h
rules/webhookpaths.h:
kube/value.h:
rules/gates.h:
ipc/base/buf.h:
ipc/base/err.h:
