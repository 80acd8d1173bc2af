build-chaos/obj/kube/events_correlate.o: kube/events_correlate.c \
 ipc/base/buf.h kube/events_int.h kube/events.h kube/rest.h \
 ipc/base/err.h kube/config.h kube/resource.h kube/value.h
ipc/base/buf.h:
kube/events_int.h:
kube/events.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
kube/value.h:
