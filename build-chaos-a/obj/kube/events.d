build-chaos/obj/kube/events.o: kube/events.c kube/events.h kube/rest.h \
 ipc/base/err.h kube/config.h kube/resource.h ipc/base/buf.h kube/value.h \
 ipc/base/log.h kube/events_int.h kube/time.h
kube/events.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
ipc/base/log.h:
kube/events_int.h:
kube/time.h:
