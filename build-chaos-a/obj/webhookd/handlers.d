build-chaos/obj/webhookd/handlers.o: webhookd/handlers.c \
 webhookd/handlers.h ipc/store.h ipc/base/err.h kube/value.h \
 rules/gates.h ipc/base/buf.h rules/webhookpaths.h webhookd/admission.h \
 rules/fielderror.h
webhookd/handlers.h:
ipc/store.h:
ipc/base/err.h:
kube/value.h:
rules/gates.h:
ipc/base/buf.h:
rules/webhookpaths.h:
webhookd/admission.h:
rules/fielderror.h:
