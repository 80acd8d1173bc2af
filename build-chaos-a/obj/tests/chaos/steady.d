build-chaos/obj/tests/chaos/steady.o: tests/chaos/steady.c ipc/base/log.h \
 kube/json.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 rules/launchpriority.h rules/fielderror.h tests/chaos/chaos.h \
 kube/rest.h kube/config.h kube/resource.h tests/chaos/random.h
ipc/base/log.h:
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/launchpriority.h:
rules/fielderror.h:
tests/chaos/chaos.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
tests/chaos/random.h:
