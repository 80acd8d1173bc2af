build-chaos/obj/ipc/zloop.o: ipc/zloop.c ipc/zloop.h ipc/base/err.h \
 ipc/base/buf.h ipc/base/log.h
ipc/zloop.h:
ipc/base/err.h:
ipc/base/buf.h:
ipc/base/log.h:
