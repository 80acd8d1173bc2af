build-chaos/obj/rules/cloneset_validate_strategy.o: \
 rules/cloneset_validate_strategy.c rules/cloneset_validate_int.h \
 rules/fielderror.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 kube/intorpercent.h kube/selector.h rules/strset.h
rules/cloneset_validate_int.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/intorpercent.h:
kube/selector.h:
rules/strset.h:
