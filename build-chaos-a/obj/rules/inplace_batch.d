build-chaos/obj/rules/inplace_batch.o: rules/inplace_batch.c kube/time.h \
 kube/value.h rules/content.h rules/inplace_state.h ipc/base/err.h \
 rules/inplace.h rules/pod.h rules/lifecycle.h
kube/time.h:
kube/value.h:
rules/content.h:
rules/inplace_state.h:
ipc/base/err.h:
rules/inplace.h:
rules/pod.h:
rules/lifecycle.h:
