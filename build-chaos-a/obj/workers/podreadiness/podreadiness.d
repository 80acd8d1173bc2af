build-chaos/obj/workers/podreadiness/podreadiness.o: \
 workers/podreadiness/podreadiness.c workers/podreadiness/podreadiness.h \
 rules/podreadiness.h rules/pod.h kube/value.h rules/lifecycle.h \
 workers/runtime/worker.h ipc/child.h ipc/base/err.h ipc/delta.h \
 ipc/base/buf.h ipc/metrics.h ipc/options.h ipc/store.h kube/events.h \
 kube/rest.h kube/config.h kube/resource.h rules/gates.h \
 workers/runtime/journal.h workers/runtime/queue.h
workers/podreadiness/podreadiness.h:
rules/podreadiness.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
workers/runtime/worker.h:
ipc/child.h:
ipc/base/err.h:
ipc/delta.h:
ipc/base/buf.h:
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
