build-chaos/obj/webhookd/pod.o: webhookd/pod.c kube/jsonpatch.h \
 ipc/base/err.h kube/value.h rules/launchpriority.h rules/fielderror.h \
 ipc/base/buf.h rules/podreadiness.h rules/pod.h rules/lifecycle.h \
 webhookd/handlers.h ipc/store.h rules/gates.h rules/webhookpaths.h \
 webhookd/admission.h
kube/jsonpatch.h:
ipc/base/err.h:
kube/value.h:
rules/launchpriority.h:
rules/fielderror.h:
ipc/base/buf.h:
rules/podreadiness.h:
rules/pod.h:
rules/lifecycle.h:
webhookd/handlers.h:
ipc/store.h:
rules/gates.h:
rules/webhookpaths.h:
webhookd/admission.h:
