build-chaos/obj/tests/cluster/nodesim/pods.o: \
 tests/cluster/nodesim/pods.c tests/cluster/nodesim/pods.h \
 tests/cluster/nodesim/nodes.h kube/rest.h ipc/base/err.h kube/config.h \
 kube/resource.h ipc/base/buf.h kube/value.h \
 tests/cluster/nodesim/options.h ipc/base/log.h kube/json.h \
 tests/cluster/nodesim/pod.h tests/cluster/nodesim/configs.h \
 tests/cluster/nodesim/runtime.h tests/cluster/nodesim/faults.h \
 tests/cluster/nodesim/table.h tests/cluster/nodesim/reflect.h
tests/cluster/nodesim/pods.h:
tests/cluster/nodesim/nodes.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
tests/cluster/nodesim/options.h:
ipc/base/log.h:
kube/json.h:
tests/cluster/nodesim/pod.h:
tests/cluster/nodesim/configs.h:
tests/cluster/nodesim/runtime.h:
tests/cluster/nodesim/faults.h:
tests/cluster/nodesim/table.h:
tests/cluster/nodesim/reflect.h:
