build-chaos/obj/rules/cloneset_status.o: rules/cloneset_status.c \
 rules/cloneset_status.h rules/cloneset_count.h ipc/base/err.h \
 rules/gates.h ipc/base/buf.h rules/pod.h kube/value.h rules/lifecycle.h \
 kube/time.h rules/cloneset_progress.h
rules/cloneset_status.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/time.h:
rules/cloneset_progress.h:
