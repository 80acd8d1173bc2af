build-chaos/obj/rules/webhookconfig.o: rules/webhookconfig.c \
 rules/webhookconfig.h rules/webhookpaths.h kube/value.h rules/gates.h \
 ipc/base/buf.h ipc/base/err.h kube/json.h
rules/webhookconfig.h:
rules/webhookpaths.h:
kube/value.h:
rules/gates.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/json.h:
