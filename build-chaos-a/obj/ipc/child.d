build-chaos/obj/ipc/child.o: ipc/child.c ipc/child.h ipc/base/err.h \
 ipc/base/buf.h ipc/base/log.h ipc/control.h kube/value.h ipc/zloop.h
ipc/child.h:
ipc/base/err.h:
ipc/base/buf.h:
ipc/base/log.h:
ipc/control.h:
kube/value.h:
ipc/zloop.h:
