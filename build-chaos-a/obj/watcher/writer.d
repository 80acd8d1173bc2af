build-chaos/obj/watcher/writer.o: watcher/writer.c watcher/writer.h \
 ipc/delta.h ipc/base/buf.h ipc/base/err.h kube/value.h ipc/metrics.h \
 ipc/store.h ipc/base/log.h watcher/change.h
watcher/writer.h:
ipc/delta.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
ipc/metrics.h:
ipc/store.h:
ipc/base/log.h:
watcher/change.h:
