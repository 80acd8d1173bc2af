build-chaos/obj/rules/inplace_state.o: rules/inplace_state.c \
 rules/inplace_state.h ipc/base/err.h rules/inplace.h rules/pod.h \
 kube/value.h rules/lifecycle.h kube/json.h ipc/base/buf.h \
 rules/conditions.h
rules/inplace_state.h:
ipc/base/err.h:
rules/inplace.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/json.h:
ipc/base/buf.h:
rules/conditions.h:
