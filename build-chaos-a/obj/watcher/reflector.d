build-chaos/obj/watcher/reflector.o: watcher/reflector.c \
 watcher/reflector.h ipc/metrics.h ipc/base/buf.h ipc/base/err.h \
 kube/value.h kube/rest.h kube/config.h kube/resource.h watcher/writer.h \
 ipc/delta.h ipc/store.h ipc/base/log.h kube/json.h watcher/keyset.h
watcher/reflector.h:
ipc/metrics.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/rest.h:
kube/config.h:
kube/resource.h:
watcher/writer.h:
ipc/delta.h:
ipc/store.h:
ipc/base/log.h:
kube/json.h:
watcher/keyset.h:
