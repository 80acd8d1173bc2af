build-chaos/obj/tests/cluster/nodesim/work.o: \
 tests/cluster/nodesim/work.c tests/cluster/nodesim/pod.h \
 tests/cluster/nodesim/configs.h kube/rest.h ipc/base/err.h kube/config.h \
 kube/resource.h ipc/base/buf.h kube/value.h \
 tests/cluster/nodesim/nodes.h tests/cluster/nodesim/options.h \
 tests/cluster/nodesim/pods.h tests/cluster/nodesim/runtime.h \
 tests/cluster/nodesim/faults.h tests/cluster/nodesim/table.h \
 ipc/base/log.h kube/json.h tests/cluster/nodesim/status.h
tests/cluster/nodesim/pod.h:
tests/cluster/nodesim/configs.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
tests/cluster/nodesim/nodes.h:
tests/cluster/nodesim/options.h:
tests/cluster/nodesim/pods.h:
tests/cluster/nodesim/runtime.h:
tests/cluster/nodesim/faults.h:
tests/cluster/nodesim/table.h:
ipc/base/log.h:
kube/json.h:
tests/cluster/nodesim/status.h:
