build-chaos/obj/workers/webhookconfig/certificates.o: \
 workers/webhookconfig/certificates.c \
 workers/webhookconfig/webhookconfig.h kube/certs.h ipc/base/err.h \
 rules/webhookconfig.h rules/webhookpaths.h kube/value.h rules/gates.h \
 ipc/base/buf.h workers/runtime/worker.h ipc/child.h ipc/delta.h \
 ipc/metrics.h ipc/options.h ipc/store.h kube/events.h kube/rest.h \
 kube/config.h kube/resource.h workers/runtime/journal.h \
 workers/runtime/queue.h ipc/base/log.h kube/base64.h
workers/webhookconfig/webhookconfig.h:
kube/certs.h:
ipc/base/err.h:
rules/webhookconfig.h:
rules/webhookpaths.h:
kube/value.h:
rules/gates.h:
ipc/base/buf.h:
workers/runtime/worker.h:
ipc/child.h:
ipc/delta.h:
ipc/metrics.h:
ipc/options.h:
ipc/store.h:
kube/events.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
workers/runtime/journal.h:
workers/runtime/queue.h:
ipc/base/log.h:
kube/base64.h:
