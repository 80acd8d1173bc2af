build-chaos/obj/workers/cloneset/create.o: workers/cloneset/create.c \
 kube/ownerref.h kube/resource.h ipc/base/buf.h kube/value.h \
 rules/revision.h ipc/base/err.h workers/cloneset/clone.h \
 rules/cloneset_convert.h rules/cloneset_explain.h \
 rules/cloneset_update.h rules/cloneset_scale.h rules/cloneset_count.h \
 rules/gates.h rules/pod.h rules/lifecycle.h workers/cloneset/pods.h \
 ipc/store.h kube/selector.h rules/cloneset_claims.h \
 workers/runtime/worker.h ipc/child.h ipc/delta.h ipc/metrics.h \
 ipc/options.h kube/events.h kube/rest.h kube/config.h \
 workers/runtime/journal.h workers/runtime/queue.h
kube/ownerref.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
rules/revision.h:
ipc/base/err.h:
workers/cloneset/clone.h:
rules/cloneset_convert.h:
rules/cloneset_explain.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
rules/gates.h:
rules/pod.h:
rules/lifecycle.h:
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
workers/runtime/journal.h:
workers/runtime/queue.h:
