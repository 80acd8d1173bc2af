build-chaos/obj/rules/pod_problem.o: rules/pod_problem.c \
 rules/pod_problem.h ipc/base/buf.h kube/value.h rules/conditions.h \
 rules/pod.h rules/lifecycle.h
rules/pod_problem.h:
ipc/base/buf.h:
kube/value.h:
rules/conditions.h:
rules/pod.h:
rules/lifecycle.h:
