build-chaos/obj/supervisor/kruisectl_explain_print.o: \
 supervisor/kruisectl_explain_print.c kube/json.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h kube/time.h rules/revision.h kube/resource.h \
 supervisor/kruisectl.h ipc/ctl.h supervisor/kruisectl_explain.h \
 rules/cloneset_explain.h rules/cloneset_update.h rules/cloneset_scale.h \
 rules/cloneset_count.h rules/gates.h rules/pod.h rules/lifecycle.h \
 rules/cloneset_status.h
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/time.h:
rules/revision.h:
kube/resource.h:
supervisor/kruisectl.h:
ipc/ctl.h:
supervisor/kruisectl_explain.h:
rules/cloneset_explain.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
rules/gates.h:
rules/pod.h:
rules/lifecycle.h:
rules/cloneset_status.h:
