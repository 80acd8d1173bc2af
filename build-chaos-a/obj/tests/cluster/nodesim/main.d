build-chaos/obj/tests/cluster/nodesim/main.o: \
 tests/cluster/nodesim/main.c ipc/base/log.h kube/rest.h ipc/base/err.h \
 kube/config.h kube/resource.h ipc/base/buf.h kube/value.h \
 tests/cluster/nodesim/pods.h tests/cluster/nodesim/nodes.h \
 tests/cluster/nodesim/options.h
ipc/base/log.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
tests/cluster/nodesim/pods.h:
tests/cluster/nodesim/nodes.h:
tests/cluster/nodesim/options.h:
