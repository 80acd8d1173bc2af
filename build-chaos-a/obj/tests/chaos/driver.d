build-chaos/obj/tests/chaos/driver.o: tests/chaos/driver.c ipc/base/log.h \
 kube/json.h ipc/base/buf.h ipc/base/err.h kube/value.h rules/pod.h \
 rules/lifecycle.h tests/chaos/chaos.h kube/rest.h kube/config.h \
 kube/resource.h tests/chaos/random.h
ipc/base/log.h:
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/pod.h:
rules/lifecycle.h:
tests/chaos/chaos.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
tests/chaos/random.h:
