build-chaos/obj/tests/integration/client.o: tests/integration/client.c \
 ipc/base/log.h kube/events.h kube/rest.h ipc/base/err.h kube/config.h \
 kube/resource.h ipc/base/buf.h kube/value.h kube/json.h
ipc/base/log.h:
kube/events.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
kube/json.h:
