build-chaos/obj/webhookd/tls.o: webhookd/tls.c webhookd/tls.h \
 ipc/base/err.h ipc/base/buf.h
webhookd/tls.h:
ipc/base/err.h:
ipc/base/buf.h:
