build-chaos/obj/tests/cluster/nodesim/adopt.o: \
 tests/cluster/nodesim/adopt.c tests/cluster/nodesim/runtime.h \
 kube/value.h tests/cluster/nodesim/faults.h \
 tests/cluster/nodesim/options.h ipc/base/err.h ipc/base/buf.h \
 kube/time.h
tests/cluster/nodesim/runtime.h:
kube/value.h:
tests/cluster/nodesim/faults.h:
tests/cluster/nodesim/options.h:
ipc/base/err.h:
ipc/base/buf.h:
kube/time.h:
