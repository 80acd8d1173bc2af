build-chaos/obj/webhookd/admission.o: webhookd/admission.c \
 webhookd/admission.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 rules/fielderror.h kube/base64.h kube/json.h
webhookd/admission.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/fielderror.h:
kube/base64.h:
kube/json.h:
