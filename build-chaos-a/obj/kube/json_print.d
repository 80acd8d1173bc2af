build-chaos/obj/kube/json_print.o: kube/json_print.c kube/json.h \
 ipc/base/buf.h ipc/base/err.h kube/value.h
kube/json.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
