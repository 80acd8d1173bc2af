build-chaos/obj/rules/inplace_spec.o: rules/inplace_spec.c \
 rules/inplace.h ipc/base/err.h rules/pod.h kube/value.h \
 rules/lifecycle.h rules/content.h
rules/inplace.h:
ipc/base/err.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
rules/content.h:
