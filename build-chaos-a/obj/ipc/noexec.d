build-chaos/obj/ipc/noexec.o: ipc/noexec.c ipc/child.h ipc/base/err.h \
 ipc/base/log.h
ipc/child.h:
ipc/base/err.h:
ipc/base/log.h:
