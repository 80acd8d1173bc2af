build-chaos/obj/rules/pod_order.o: rules/pod_order.c rules/pod.h \
 kube/value.h rules/lifecycle.h ipc/base/buf.h
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
ipc/base/buf.h:
