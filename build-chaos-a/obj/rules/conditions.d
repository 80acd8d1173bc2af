build-chaos/obj/rules/conditions.o: rules/conditions.c rules/conditions.h \
 rules/pod.h kube/value.h rules/lifecycle.h ipc/base/buf.h kube/time.h
rules/conditions.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
ipc/base/buf.h:
kube/time.h:
