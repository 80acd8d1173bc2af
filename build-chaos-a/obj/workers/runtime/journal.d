build-chaos/obj/workers/runtime/journal.o: workers/runtime/journal.c \
 workers/runtime/journal.h ipc/base/err.h kube/value.h ipc/base/buf.h \
 ipc/base/log.h kube/json.h workers/runtime/crashpoint.h
workers/runtime/journal.h:
ipc/base/err.h:
kube/value.h:
ipc/base/buf.h:
ipc/base/log.h:
kube/json.h:
workers/runtime/crashpoint.h:
