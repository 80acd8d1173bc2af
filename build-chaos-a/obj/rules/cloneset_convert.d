build-chaos/obj/rules/cloneset_convert.o: rules/cloneset_convert.c \
 rules/cloneset_convert.h ipc/base/err.h kube/value.h kube/json.h \
 ipc/base/buf.h
rules/cloneset_convert.h:
ipc/base/err.h:
kube/value.h:
kube/json.h:
ipc/base/buf.h:
