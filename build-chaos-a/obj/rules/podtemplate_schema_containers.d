build-chaos/obj/rules/podtemplate_schema_containers.o: \
 rules/podtemplate_schema_containers.c rules/podtemplate_schema.h \
 rules/schema.h kube/value.h rules/fielderror.h ipc/base/buf.h \
 ipc/base/err.h
rules/podtemplate_schema.h:
rules/schema.h:
kube/value.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
