build-chaos/obj/tests/cluster/nodesim/nodeobj.o: \
 tests/cluster/nodesim/nodeobj.c tests/cluster/nodesim/nodeobj.h \
 kube/value.h kube/time.h
tests/cluster/nodesim/nodeobj.h:
kube/value.h:
kube/time.h:
