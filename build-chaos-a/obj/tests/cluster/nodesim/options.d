build-chaos/obj/tests/cluster/nodesim/options.o: \
 tests/cluster/nodesim/options.c tests/cluster/nodesim/options.h \
 ipc/base/err.h kube/time.h kube/value.h
tests/cluster/nodesim/options.h:
ipc/base/err.h:
kube/time.h:
kube/value.h:
