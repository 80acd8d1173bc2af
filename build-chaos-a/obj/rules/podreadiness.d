build-chaos/obj/rules/podreadiness.o: rules/podreadiness.c \
 rules/podreadiness.h rules/pod.h kube/value.h rules/lifecycle.h \
 kube/json.h ipc/base/buf.h ipc/base/err.h kube/ownerref.h \
 kube/resource.h rules/conditions.h
rules/podreadiness.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/ownerref.h:
kube/resource.h:
rules/conditions.h:
