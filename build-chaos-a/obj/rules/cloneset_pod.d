build-chaos/obj/rules/cloneset_pod.o: rules/cloneset_pod.c \
 rules/cloneset_scale.h rules/cloneset_count.h ipc/base/err.h \
 rules/gates.h ipc/base/buf.h rules/pod.h kube/value.h rules/lifecycle.h \
 kube/ownerref.h kube/resource.h rules/content.h rules/revision.h
rules/cloneset_scale.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/ownerref.h:
kube/resource.h:
rules/content.h:
rules/revision.h:
