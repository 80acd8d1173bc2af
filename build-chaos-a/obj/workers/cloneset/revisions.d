build-chaos/obj/workers/cloneset/revisions.o: \
 workers/cloneset/revisions.c ipc/base/log.h kube/ownerref.h \
 kube/resource.h ipc/base/buf.h kube/value.h rules/cloneset_status.h \
 rules/cloneset_count.h ipc/base/err.h rules/gates.h rules/pod.h \
 rules/lifecycle.h rules/revision.h workers/cloneset/clone.h \
 rules/cloneset_convert.h rules/cloneset_explain.h \
 rules/cloneset_update.h rules/cloneset_scale.h workers/cloneset/pods.h \
 ipc/store.h kube/selector.h rules/cloneset_claims.h \
 workers/runtime/worker.h ipc/child.h ipc/delta.h ipc/metrics.h \
 ipc/options.h kube/events.h kube/rest.h kube/config.h \
 workers/runtime/journal.h workers/runtime/queue.h
ipc/base/log.h:
kube/ownerref.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
rules/cloneset_status.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
rules/pod.h:
rules/lifecycle.h:
rules/revision.h:
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
workers/runtime/journal.h:
workers/runtime/queue.h:
