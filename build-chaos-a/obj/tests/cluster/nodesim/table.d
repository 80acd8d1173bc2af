build-chaos/obj/tests/cluster/nodesim/table.o: \
 tests/cluster/nodesim/table.c tests/cluster/nodesim/table.h kube/value.h \
 ipc/base/buf.h
tests/cluster/nodesim/table.h:
kube/value.h:
ipc/base/buf.h:
