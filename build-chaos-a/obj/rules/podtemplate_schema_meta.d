build-chaos/obj/rules/podtemplate_schema_meta.o: \
 rules/podtemplate_schema_meta.c rules/podtemplate_schema.h \
 rules/schema.h kube/value.h rules/fielderror.h ipc/base/buf.h \
 ipc/base/err.h
rules/podtemplate_schema.h:
rules/schema.h:
kube/value.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
