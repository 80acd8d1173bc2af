build-chaos/obj/tests/cluster/nodesim/nodes.o: \
 tests/cluster/nodesim/nodes.c tests/cluster/nodesim/nodes.h kube/rest.h \
 ipc/base/err.h kube/config.h kube/resource.h ipc/base/buf.h kube/value.h \
 tests/cluster/nodesim/options.h ipc/base/log.h \
 tests/cluster/nodesim/faults.h tests/cluster/nodesim/nodeobj.h \
 tests/cluster/nodesim/reflect.h
tests/cluster/nodesim/nodes.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
tests/cluster/nodesim/options.h:
ipc/base/log.h:
tests/cluster/nodesim/faults.h:
tests/cluster/nodesim/nodeobj.h:
tests/cluster/nodesim/reflect.h:
