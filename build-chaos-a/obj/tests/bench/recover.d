build-chaos/obj/tests/bench/recover.o: tests/bench/recover.c \
 ipc/base/log.h tests/bench/bench.h kube/rest.h ipc/base/err.h \
 kube/config.h kube/resource.h ipc/base/buf.h kube/value.h \
 tests/bench/procs.h
ipc/base/log.h:
tests/bench/bench.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
tests/bench/procs.h:
