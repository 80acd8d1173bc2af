build-chaos/obj/rules/cloneset_explain_text.o: \
 rules/cloneset_explain_text.c kube/time.h kube/value.h \
 rules/cloneset_explain_int.h rules/cloneset_explain.h ipc/base/buf.h \
 rules/cloneset_update.h rules/cloneset_scale.h rules/cloneset_count.h \
 ipc/base/err.h rules/gates.h rules/pod.h rules/lifecycle.h \
 rules/pod_problem.h
kube/time.h:
kube/value.h:
rules/cloneset_explain_int.h:
rules/cloneset_explain.h:
ipc/base/buf.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
rules/pod.h:
rules/lifecycle.h:
rules/pod_problem.h:
