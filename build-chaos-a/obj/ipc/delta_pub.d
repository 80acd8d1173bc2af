build-chaos/obj/ipc/delta_pub.o: ipc/delta_pub.c ipc/delta_int.h \
 ipc/delta.h ipc/base/buf.h ipc/base/err.h kube/value.h ipc/base/log.h \
 ipc/zloop.h
ipc/delta_int.h:
ipc/delta.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
ipc/base/log.h:
ipc/zloop.h:
