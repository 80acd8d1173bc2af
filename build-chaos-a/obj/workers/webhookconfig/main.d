build-chaos/obj/workers/webhookconfig/main.o: \
 workers/webhookconfig/main.c workers/webhookconfig/main.h ipc/base/log.h \
 rules/certrenewal.h ipc/base/err.h workers/webhookconfig/webhookconfig.h \
 kube/certs.h rules/webhookconfig.h rules/webhookpaths.h kube/value.h \
 rules/gates.h ipc/base/buf.h workers/runtime/worker.h ipc/child.h \
 ipc/delta.h ipc/metrics.h ipc/options.h ipc/store.h kube/events.h \
 kube/rest.h kube/config.h kube/resource.h workers/runtime/journal.h \
 workers/runtime/queue.h
workers/webhookconfig/main.h:
ipc/base/log.h:
rules/certrenewal.h:
ipc/base/err.h:
workers/webhookconfig/webhookconfig.h:
kube/certs.h:
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
