build-chaos/obj/rules/cloneset_default.o: rules/cloneset_default.c \
 rules/cloneset_default.h ipc/base/err.h kube/value.h \
 rules/cloneset_convert.h rules/cloneset_schema.h rules/schema.h \
 rules/fielderror.h ipc/base/buf.h rules/podtemplate.h
rules/cloneset_default.h:
ipc/base/err.h:
kube/value.h:
rules/cloneset_convert.h:
rules/cloneset_schema.h:
rules/schema.h:
rules/fielderror.h:
ipc/base/buf.h:
rules/podtemplate.h:
