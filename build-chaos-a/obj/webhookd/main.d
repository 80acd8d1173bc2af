build-chaos/obj/webhookd/main.o: webhookd/main.c webhookd/webhookd.h \
 ipc/child.h ipc/base/err.h ipc/metrics.h ipc/base/buf.h kube/value.h \
 ipc/options.h ipc/store.h kube/rest.h kube/config.h kube/resource.h \
 rules/gates.h webhookd/http.h ipc/base/log.h
webhookd/webhookd.h:
ipc/child.h:
ipc/base/err.h:
ipc/metrics.h:
ipc/base/buf.h:
kube/value.h:
ipc/options.h:
ipc/store.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
rules/gates.h:
webhookd/http.h:
ipc/base/log.h:
