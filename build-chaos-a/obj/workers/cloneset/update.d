build-chaos/obj/workers/cloneset/update.o: workers/cloneset/update.c \
 ipc/base/log.h rules/inplace.h ipc/base/err.h rules/pod.h kube/value.h \
 rules/lifecycle.h rules/revision.h kube/resource.h ipc/base/buf.h \
 workers/cloneset/clone.h rules/cloneset_convert.h \
 rules/cloneset_explain.h rules/cloneset_update.h rules/cloneset_scale.h \
 rules/cloneset_count.h rules/gates.h workers/cloneset/pods.h ipc/store.h \
 kube/selector.h rules/cloneset_claims.h workers/runtime/worker.h \
 ipc/child.h ipc/delta.h ipc/metrics.h ipc/options.h kube/events.h \
 kube/rest.h kube/config.h workers/runtime/journal.h \
 workers/runtime/queue.h
ipc/base/log.h:
rules/inplace.h:
ipc/base/err.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
rules/revision.h:
kube/resource.h:
ipc/base/buf.h:
workers/cloneset/clone.h:
rules/cloneset_convert.h:
rules/cloneset_explain.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
rules/gates.h:
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
