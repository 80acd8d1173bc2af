build-chaos/obj/webhookd/certificate.o: webhookd/certificate.c \
 ipc/base/log.h kube/base64.h ipc/base/buf.h webhookd/tls.h \
 ipc/base/err.h webhookd/webhookd.h ipc/child.h ipc/metrics.h \
 kube/value.h ipc/options.h ipc/store.h kube/rest.h kube/config.h \
 kube/resource.h rules/gates.h webhookd/http.h
ipc/base/log.h:
kube/base64.h:
ipc/base/buf.h:
webhookd/tls.h:
ipc/base/err.h:
webhookd/webhookd.h:
ipc/child.h:
ipc/metrics.h:
kube/value.h:
ipc/options.h:
ipc/store.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
rules/gates.h:
webhookd/http.h:
