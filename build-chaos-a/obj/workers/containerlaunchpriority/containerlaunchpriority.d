build-chaos/obj/workers/containerlaunchpriority/containerlaunchpriority.o: \
 workers/containerlaunchpriority/containerlaunchpriority.c \
 workers/containerlaunchpriority/containerlaunchpriority.h \
 rules/conditions.h rules/pod.h kube/value.h rules/lifecycle.h \
 rules/launchpriority.h rules/fielderror.h ipc/base/buf.h ipc/base/err.h \
 workers/containerlaunchpriority/launches.h workers/runtime/worker.h \
 ipc/child.h ipc/delta.h ipc/metrics.h ipc/options.h ipc/store.h \
 kube/events.h kube/rest.h kube/config.h kube/resource.h rules/gates.h \
 workers/runtime/journal.h workers/runtime/queue.h
workers/containerlaunchpriority/containerlaunchpriority.h:
rules/conditions.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
rules/launchpriority.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
workers/containerlaunchpriority/launches.h:
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
