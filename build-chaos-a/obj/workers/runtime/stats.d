build-chaos/obj/workers/runtime/stats.o: workers/runtime/stats.c \
 workers/runtime/sync.h workers/runtime/worker.h ipc/child.h \
 ipc/base/err.h ipc/delta.h ipc/base/buf.h kube/value.h ipc/metrics.h \
 ipc/options.h ipc/store.h kube/events.h kube/rest.h kube/config.h \
 kube/resource.h rules/gates.h workers/runtime/journal.h \
 workers/runtime/queue.h
workers/runtime/sync.h:
workers/runtime/worker.h:
ipc/child.h:
ipc/base/err.h:
ipc/delta.h:
ipc/base/buf.h:
kube/value.h:
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
