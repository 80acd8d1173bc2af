build-chaos/obj/tests/chaos/record.o: tests/chaos/record.c ipc/base/log.h \
 kube/json.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 rules/cloneset_convert.h rules/pod.h rules/lifecycle.h \
 tests/chaos/chaos.h kube/rest.h kube/config.h kube/resource.h \
 tests/chaos/random.h tests/chaos/invariant.h
ipc/base/log.h:
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/cloneset_convert.h:
rules/pod.h:
rules/lifecycle.h:
tests/chaos/chaos.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
tests/chaos/random.h:
tests/chaos/invariant.h:
