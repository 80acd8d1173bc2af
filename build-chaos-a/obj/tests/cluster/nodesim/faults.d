build-chaos/obj/tests/cluster/nodesim/faults.o: \
 tests/cluster/nodesim/faults.c tests/cluster/nodesim/faults.h \
 kube/value.h kube/time.h
tests/cluster/nodesim/faults.h:
kube/value.h:
kube/time.h:
