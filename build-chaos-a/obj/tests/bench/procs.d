build-chaos/obj/tests/bench/procs.o: tests/bench/procs.c \
 tests/bench/procs.h ipc/base/buf.h tests/bench/bench.h kube/rest.h \
 ipc/base/err.h kube/config.h kube/resource.h kube/value.h
tests/bench/procs.h:
ipc/base/buf.h:
tests/bench/bench.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
kube/value.h:
