build-chaos/obj/webhookd/health.o: webhookd/health.c ipc/base/log.h \
 kube/resource.h ipc/base/buf.h rules/webhookconfig.h \
 rules/webhookpaths.h kube/value.h rules/gates.h ipc/base/err.h \
 webhookd/tls.h webhookd/webhookd.h ipc/child.h ipc/metrics.h \
 ipc/options.h ipc/store.h kube/rest.h kube/config.h webhookd/http.h
ipc/base/log.h:
kube/resource.h:
ipc/base/buf.h:
rules/webhookconfig.h:
rules/webhookpaths.h:
kube/value.h:
rules/gates.h:
ipc/base/err.h:
webhookd/tls.h:
webhookd/webhookd.h:
ipc/child.h:
ipc/metrics.h:
ipc/options.h:
ipc/store.h:
kube/rest.h:
kube/config.h:
webhookd/http.h:
