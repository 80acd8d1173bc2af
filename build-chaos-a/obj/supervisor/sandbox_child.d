build-chaos/obj/supervisor/sandbox_child.o: supervisor/sandbox_child.c \
 supervisor/sandbox.h ipc/base/buf.h supervisor/services.h
supervisor/sandbox.h:
ipc/base/buf.h:
supervisor/services.h:
