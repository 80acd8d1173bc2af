build-chaos/obj/rules/cloneset_spec.o: rules/cloneset_spec.c \
 rules/cloneset_count.h ipc/base/err.h rules/gates.h ipc/base/buf.h \
 rules/pod.h kube/value.h rules/lifecycle.h kube/intorpercent.h \
 rules/cloneset_convert.h
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/intorpercent.h:
rules/cloneset_convert.h:
