build-chaos/obj/rules/cloneset_schema.o: rules/cloneset_schema.c \
 rules/cloneset_schema.h rules/schema.h kube/value.h rules/fielderror.h \
 ipc/base/buf.h ipc/base/err.h rules/cloneset_convert.h \
 rules/podtemplate_schema.h
rules/cloneset_schema.h:
rules/schema.h:
kube/value.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
rules/cloneset_convert.h:
rules/podtemplate_schema.h:
