build-chaos/obj/workers/cloneset/pods.o: workers/cloneset/pods.c \
 workers/cloneset/pods.h ipc/store.h ipc/base/err.h kube/value.h \
 kube/selector.h ipc/base/buf.h rules/cloneset_claims.h rules/pod.h \
 rules/lifecycle.h rules/cloneset_explain.h rules/cloneset_update.h \
 rules/cloneset_scale.h rules/cloneset_count.h rules/gates.h \
 ipc/base/log.h
workers/cloneset/pods.h:
ipc/store.h:
ipc/base/err.h:
kube/value.h:
kube/selector.h:
ipc/base/buf.h:
rules/cloneset_claims.h:
rules/pod.h:
rules/lifecycle.h:
rules/cloneset_explain.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
rules/gates.h:
ipc/base/log.h:
