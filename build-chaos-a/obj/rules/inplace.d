build-chaos/obj/rules/inplace.o: rules/inplace.c rules/inplace.h \
 ipc/base/err.h rules/pod.h kube/value.h rules/lifecycle.h kube/json.h \
 ipc/base/buf.h kube/time.h rules/conditions.h rules/content.h \
 rules/inplace_state.h rules/revision.h kube/resource.h
rules/inplace.h:
ipc/base/err.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/json.h:
ipc/base/buf.h:
kube/time.h:
rules/conditions.h:
rules/content.h:
rules/inplace_state.h:
rules/revision.h:
kube/resource.h:
