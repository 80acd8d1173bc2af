build-chaos/obj/rules/cloneset_scale.o: rules/cloneset_scale.c \
 rules/cloneset_scale.h rules/cloneset_count.h ipc/base/err.h \
 rules/gates.h ipc/base/buf.h rules/pod.h kube/value.h rules/lifecycle.h \
 rules/nameset.h rules/revision.h kube/resource.h
rules/cloneset_scale.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
rules/nameset.h:
rules/revision.h:
kube/resource.h:
