build-chaos/obj/rules/cloneset_update.o: rules/cloneset_update.c \
 rules/cloneset_update.h rules/cloneset_scale.h rules/cloneset_count.h \
 ipc/base/err.h rules/gates.h ipc/base/buf.h rules/pod.h kube/value.h \
 rules/lifecycle.h rules/cloneset_convert.h rules/cloneset_strategy.h
rules/cloneset_update.h:
rules/cloneset_scale.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
rules/cloneset_convert.h:
rules/cloneset_strategy.h:
