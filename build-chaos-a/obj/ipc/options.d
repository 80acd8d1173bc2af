build-chaos/obj/ipc/options.o: ipc/options.c ipc/options.h ipc/base/err.h \
 ipc/base/buf.h ipc/base/log.h
ipc/options.h:
ipc/base/err.h:
ipc/base/buf.h:
ipc/base/log.h:
