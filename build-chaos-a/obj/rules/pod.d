build-chaos/obj/rules/pod.o: rules/pod.c rules/pod.h kube/value.h \
 rules/lifecycle.h ipc/base/buf.h kube/time.h rules/conditions.h \
 rules/inplace.h ipc/base/err.h
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
ipc/base/buf.h:
kube/time.h:
rules/conditions.h:
rules/inplace.h:
ipc/base/err.h:
