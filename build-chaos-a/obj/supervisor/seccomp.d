build-chaos/obj/supervisor/seccomp.o: supervisor/seccomp.c \
 supervisor/sandbox.h ipc/base/buf.h supervisor/services.h ipc/base/log.h
supervisor/sandbox.h:
ipc/base/buf.h:
supervisor/services.h:
ipc/base/log.h:
