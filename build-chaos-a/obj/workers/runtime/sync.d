build-chaos/obj/workers/runtime/sync.o: workers/runtime/sync.c \
 workers/runtime/sync.h workers/runtime/worker.h ipc/child.h \
 ipc/base/err.h ipc/delta.h ipc/base/buf.h kube/value.h ipc/metrics.h \
 ipc/options.h ipc/store.h kube/events.h kube/rest.h kube/config.h \
 kube/resource.h rules/gates.h workers/runtime/journal.h \
 workers/runtime/queue.h ipc/base/log.h workers/runtime/crashpoint.h
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
ipc/base/log.h:
workers/runtime/crashpoint.h:
