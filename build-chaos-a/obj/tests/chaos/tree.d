build-chaos/obj/tests/chaos/tree.o: tests/chaos/tree.c ipc/base/log.h \
 ipc/delta.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 tests/chaos/chaos.h kube/rest.h kube/config.h kube/resource.h \
 tests/chaos/random.h
ipc/base/log.h:
ipc/delta.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
tests/chaos/chaos.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
tests/chaos/random.h:
