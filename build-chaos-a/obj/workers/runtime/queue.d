build-chaos/obj/workers/runtime/queue.o: workers/runtime/queue.c \
 workers/runtime/queue.h ipc/base/buf.h ipc/base/log.h
workers/runtime/queue.h:
ipc/base/buf.h:
ipc/base/log.h:
