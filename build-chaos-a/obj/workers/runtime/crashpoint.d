build-chaos/obj/workers/runtime/crashpoint.o: \
 workers/runtime/crashpoint.c workers/runtime/crashpoint.h ipc/base/buf.h \
 ipc/base/log.h ipc/child.h ipc/base/err.h
workers/runtime/crashpoint.h:
ipc/base/buf.h:
ipc/base/log.h:
ipc/child.h:
ipc/base/err.h:
