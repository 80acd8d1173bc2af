build-chaos/obj/webhookd/http.o: webhookd/http.c webhookd/http.h \
 ipc/base/buf.h ipc/base/err.h ipc/base/log.h webhookd/tls.h
webhookd/http.h:
ipc/base/buf.h:
ipc/base/err.h:
ipc/base/log.h:
webhookd/tls.h:
