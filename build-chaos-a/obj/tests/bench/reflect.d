build-chaos/obj/tests/bench/reflect.o: tests/bench/reflect.c \
 tests/cluster/nodesim/reflect.c tests/cluster/nodesim/reflect.h \
 kube/rest.h ipc/base/err.h kube/config.h kube/resource.h ipc/base/buf.h \
 kube/value.h ipc/base/log.h kube/json.h
tests/cluster/nodesim/reflect.c:
tests/cluster/nodesim/reflect.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
ipc/base/log.h:
kube/json.h:
