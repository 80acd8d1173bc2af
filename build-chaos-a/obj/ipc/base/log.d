build-chaos/obj/ipc/base/log.o: ipc/base/log.c ipc/base/log.h \
 ipc/base/buf.h
ipc/base/log.h:
ipc/base/buf.h:
