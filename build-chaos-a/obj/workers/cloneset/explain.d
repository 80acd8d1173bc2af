build-chaos/obj/workers/cloneset/explain.o: workers/cloneset/explain.c \
 kube/time.h kube/value.h rules/cloneset_status.h rules/cloneset_count.h \
 ipc/base/err.h rules/gates.h ipc/base/buf.h rules/pod.h \
 rules/lifecycle.h workers/cloneset/clone.h rules/cloneset_convert.h \
 rules/cloneset_explain.h rules/cloneset_update.h rules/cloneset_scale.h \
 workers/cloneset/pods.h ipc/store.h kube/selector.h \
 rules/cloneset_claims.h workers/runtime/worker.h ipc/child.h ipc/delta.h \
 ipc/metrics.h ipc/options.h kube/events.h kube/rest.h kube/config.h \
 kube/resource.h workers/runtime/journal.h workers/runtime/queue.h
kube/time.h:
kube/value.h:
rules/cloneset_status.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
rules/lifecycle.h:
workers/cloneset/clone.h:
rules/cloneset_convert.h:
rules/cloneset_explain.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
workers/cloneset/pods.h:
ipc/store.h:
kube/selector.h:
rules/cloneset_claims.h:
workers/runtime/worker.h:
ipc/child.h:
ipc/delta.h:
ipc/metrics.h:
ipc/options.h:
kube/events.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
workers/runtime/journal.h:
workers/runtime/queue.h:
