build-chaos/obj/watcher/main.o: watcher/main.c ipc/base/log.h \
 ipc/paceloop.h ipc/child.h ipc/base/err.h ipc/options.h \
 watcher/reflector.h ipc/metrics.h ipc/base/buf.h kube/value.h \
 kube/rest.h kube/config.h kube/resource.h watcher/writer.h ipc/delta.h \
 ipc/store.h watcher/resources.h
ipc/base/log.h:
ipc/paceloop.h:
ipc/child.h:
ipc/base/err.h:
ipc/options.h:
watcher/reflector.h:
ipc/metrics.h:
ipc/base/buf.h:
kube/value.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
watcher/writer.h:
ipc/delta.h:
ipc/store.h:
watcher/resources.h:
