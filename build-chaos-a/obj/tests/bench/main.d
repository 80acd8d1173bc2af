build-chaos/obj/tests/bench/main.o: tests/bench/main.c ipc/base/log.h \
 tests/bench/bench.h kube/rest.h ipc/base/err.h kube/config.h \
 kube/resource.h ipc/base/buf.h kube/value.h
ipc/base/log.h:
tests/bench/bench.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
