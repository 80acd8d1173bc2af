build-chaos/obj/webhookd/serve.o: webhookd/serve.c ipc/base/log.h \
 webhookd/convert.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 webhookd/handlers.h ipc/store.h rules/gates.h rules/webhookpaths.h \
 webhookd/admission.h rules/fielderror.h webhookd/webhookd.h ipc/child.h \
 ipc/metrics.h ipc/options.h kube/rest.h kube/config.h kube/resource.h \
 webhookd/http.h
ipc/base/log.h:
webhookd/convert.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
webhookd/handlers.h:
ipc/store.h:
rules/gates.h:
rules/webhookpaths.h:
webhookd/admission.h:
rules/fielderror.h:
webhookd/webhookd.h:
ipc/child.h:
ipc/metrics.h:
ipc/options.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
webhookd/http.h:
