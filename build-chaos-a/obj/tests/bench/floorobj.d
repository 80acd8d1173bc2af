build-chaos/obj/tests/bench/floorobj.o: tests/bench/floorobj.c \
 kube/time.h kube/value.h tests/bench/floor.h tests/bench/bench.h \
 kube/rest.h ipc/base/err.h kube/config.h kube/resource.h ipc/base/buf.h
kube/time.h:
kube/value.h:
tests/bench/floor.h:
tests/bench/bench.h:
kube/rest.h:
ipc/base/err.h:
kube/config.h:
kube/resource.h:
ipc/base/buf.h:
