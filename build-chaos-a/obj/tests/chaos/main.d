build-chaos/obj/tests/chaos/main.o: tests/chaos/main.c ipc/base/log.h \
 tests/chaos/chaos.h kube/rest.h ipc/base/err.h kube/config.h \
 kube/resource.h ipc/base/buf.h kube/value.h tests/chaos/random.h
ipc/base/log.h:
tests/chaos/chaos.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
tests/chaos/random.h:
