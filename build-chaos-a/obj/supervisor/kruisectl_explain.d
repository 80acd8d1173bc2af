build-chaos/obj/supervisor/kruisectl_explain.o: \
 supervisor/kruisectl_explain.c supervisor/kruisectl_explain.h \
 rules/cloneset_explain.h ipc/base/buf.h rules/cloneset_update.h \
 rules/cloneset_scale.h rules/cloneset_count.h ipc/base/err.h \
 rules/gates.h rules/pod.h kube/value.h rules/lifecycle.h \
 rules/cloneset_status.h ipc/base/log.h ipc/options.h ipc/store.h \
 kube/resource.h kube/time.h supervisor/kruisectl.h ipc/ctl.h
supervisor/kruisectl_explain.h:
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
rules/cloneset_status.h:
ipc/base/log.h:
ipc/options.h:
ipc/store.h:
kube/resource.h:
kube/time.h:
supervisor/kruisectl.h:
ipc/ctl.h:
