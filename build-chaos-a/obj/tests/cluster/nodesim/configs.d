build-chaos/obj/tests/cluster/nodesim/configs.o: \
 tests/cluster/nodesim/configs.c tests/cluster/nodesim/configs.h \
 kube/rest.h ipc/base/err.h kube/config.h kube/resource.h ipc/base/buf.h \
 kube/value.h tests/cluster/nodesim/reflect.h \
 tests/cluster/nodesim/table.h
tests/cluster/nodesim/configs.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
tests/cluster/nodesim/reflect.h:
tests/cluster/nodesim/table.h:
