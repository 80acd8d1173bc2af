build-chaos/obj/ipc/base/err.o: ipc/base/err.c ipc/base/err.h
ipc/base/err.h:
