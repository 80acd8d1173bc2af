build-chaos/obj/tests/cluster/nodesim/reflect.o: \
 tests/cluster/nodesim/reflect.c tests/cluster/nodesim/reflect.h \
 kube/rest.h ipc/base/err.h kube/config.h kube/resource.h ipc/base/buf.h \
 kube/value.h ipc/base/log.h kube/json.h
tests/cluster/nodesim/reflect.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
ipc/base/log.h:
kube/json.h:
