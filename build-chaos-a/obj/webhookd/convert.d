build-chaos/obj/webhookd/convert.o: webhookd/convert.c webhookd/convert.h \
 ipc/base/buf.h ipc/base/err.h kube/value.h kube/json.h \
 rules/cloneset_convert.h
webhookd/convert.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/json.h:
rules/cloneset_convert.h:
