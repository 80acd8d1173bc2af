build-chaos/obj/watcher/change.o: watcher/change.c watcher/change.h \
 ipc/delta.h ipc/base/buf.h ipc/base/err.h kube/value.h ipc/mp.h
watcher/change.h:
ipc/delta.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
ipc/mp.h:
