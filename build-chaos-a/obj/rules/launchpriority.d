build-chaos/obj/rules/launchpriority.o: rules/launchpriority.c \
 rules/launchpriority.h kube/value.h rules/fielderror.h ipc/base/buf.h \
 ipc/base/err.h rules/cloneset_scale.h rules/cloneset_count.h \
 rules/gates.h rules/pod.h rules/lifecycle.h rules/conditions.h
rules/launchpriority.h:
kube/value.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
rules/gates.h:
rules/pod.h:
rules/lifecycle.h:
rules/conditions.h:
