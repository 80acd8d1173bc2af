build-chaos/obj/ipc/base/buf.o: ipc/base/buf.c ipc/base/buf.h
ipc/base/buf.h:
