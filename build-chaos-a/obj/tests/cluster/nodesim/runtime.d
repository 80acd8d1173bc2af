build-chaos/obj/tests/cluster/nodesim/runtime.o: \
 tests/cluster/nodesim/runtime.c tests/cluster/nodesim/runtime.h \
 kube/value.h tests/cluster/nodesim/faults.h \
 tests/cluster/nodesim/options.h ipc/base/err.h ipc/base/buf.h
tests/cluster/nodesim/runtime.h:
kube/value.h:
tests/cluster/nodesim/faults.h:
tests/cluster/nodesim/options.h:
ipc/base/err.h:
ipc/base/buf.h:
