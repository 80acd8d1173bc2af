build-chaos/obj/tests/bench/floor.o: tests/bench/floor.c \
 tests/bench/floor.h tests/bench/bench.h kube/rest.h ipc/base/err.h \
 kube/config.h kube/resource.h ipc/base/buf.h kube/value.h ipc/base/log.h \
 tests/cluster/nodesim/reflect.h
tests/bench/floor.h:
tests/bench/bench.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
ipc/base/log.h:
tests/cluster/nodesim/reflect.h:
