build-chaos/obj/watcher/resources.o: watcher/resources.c \
 watcher/resources.h kube/resource.h ipc/base/buf.h
watcher/resources.h:
kube/resource.h:
ipc/base/buf.h:
