build-chaos/obj/webhookd/cloneset.o: webhookd/cloneset.c kube/jsonpatch.h \
 ipc/base/err.h kube/value.h kube/ownerref.h kube/resource.h \
 ipc/base/buf.h rules/cloneset_default.h rules/cloneset_validate.h \
 rules/fielderror.h webhookd/handlers.h ipc/store.h rules/gates.h \
 rules/webhookpaths.h webhookd/admission.h
kube/jsonpatch.h:
ipc/base/err.h:
kube/value.h:
kube/ownerref.h:
kube/resource.h:
ipc/base/buf.h:
rules/cloneset_default.h:
rules/cloneset_validate.h:
rules/fielderror.h:
webhookd/handlers.h:
ipc/store.h:
rules/gates.h:
rules/webhookpaths.h:
webhookd/admission.h:
