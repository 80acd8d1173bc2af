build-chaos/obj/rules/cloneset_strategy.o: rules/cloneset_strategy.c \
 rules/cloneset_strategy.h rules/cloneset_update.h rules/cloneset_scale.h \
 rules/cloneset_count.h ipc/base/err.h rules/gates.h ipc/base/buf.h \
 rules/pod.h kube/value.h rules/lifecycle.h kube/selector.h
rules/cloneset_strategy.h:
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/selector.h:
