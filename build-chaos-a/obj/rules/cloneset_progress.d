build-chaos/obj/rules/cloneset_progress.o: rules/cloneset_progress.c \
 rules/cloneset_progress.h rules/cloneset_status.h rules/cloneset_count.h \
 ipc/base/err.h rules/gates.h ipc/base/buf.h rules/pod.h kube/value.h \
 rules/lifecycle.h kube/time.h
rules/cloneset_progress.h:
rules/cloneset_status.h:
rules/cloneset_count.h:
ipc/base/err.h:
rules/gates.h:
ipc/base/buf.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
kube/time.h:
