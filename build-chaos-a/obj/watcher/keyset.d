build-chaos/obj/watcher/keyset.o: watcher/keyset.c watcher/keyset.h \
 kube/value.h ipc/base/buf.h
watcher/keyset.h:
kube/value.h:
ipc/base/buf.h:
