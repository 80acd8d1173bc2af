build-chaos/obj/tests/integration/steady.o: tests/integration/steady.c \
 ipc/base/buf.h ipc/base/log.h
ipc/base/buf.h:
ipc/base/log.h:
