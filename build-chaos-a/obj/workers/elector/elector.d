build-chaos/obj/workers/elector/elector.o: workers/elector/elector.c \
 workers/elector/elector.h ipc/base/log.h kube/json.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h kube/time.h rules/lease.h \
 workers/runtime/worker.h ipc/child.h ipc/delta.h ipc/metrics.h \
 ipc/options.h ipc/store.h kube/events.h kube/rest.h kube/config.h \
 kube/resource.h rules/gates.h workers/runtime/journal.h \
 workers/runtime/queue.h
workers/elector/elector.h:
ipc/base/log.h:
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/time.h:
rules/lease.h:
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
rules/gates.h:
workers/runtime/journal.h:
workers/runtime/queue.h:
