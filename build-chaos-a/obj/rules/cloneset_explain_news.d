build-chaos/obj/rules/cloneset_explain_news.o: \
 rules/cloneset_explain_news.c rules/cloneset_explain_int.h \
 rules/cloneset_explain.h ipc/base/buf.h rules/cloneset_update.h \
 rules/cloneset_scale.h rules/cloneset_count.h ipc/base/err.h \
 rules/gates.h rules/pod.h kube/value.h rules/lifecycle.h
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
