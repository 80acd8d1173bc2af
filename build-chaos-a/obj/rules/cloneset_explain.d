build-chaos/obj/rules/cloneset_explain.o: rules/cloneset_explain.c \
 rules/cloneset_explain_int.h rules/cloneset_explain.h ipc/base/buf.h \
 rules/cloneset_update.h rules/cloneset_scale.h rules/cloneset_count.h \
 ipc/base/err.h rules/gates.h rules/pod.h kube/value.h rules/lifecycle.h \
 kube/time.h
rules/cloneset_explain_int.h:
rules/cloneset_explain.h:
ipc/base/buf.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/time.h:
