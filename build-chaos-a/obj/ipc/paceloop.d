build-chaos/obj/ipc/paceloop.o: ipc/paceloop.c ipc/paceloop.h
ipc/paceloop.h:
