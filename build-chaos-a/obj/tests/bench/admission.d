build-chaos/obj/tests/bench/admission.o: tests/bench/admission.c \
 ipc/base/log.h kube/json.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 tests/bench/bench.h kube/rest.h kube/config.h kube/resource.h \
 tests/bench/procs.h tests/bench/tlsconn.h
ipc/base/log.h:
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
tests/bench/bench.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
tests/bench/procs.h:
tests/bench/tlsconn.h:
