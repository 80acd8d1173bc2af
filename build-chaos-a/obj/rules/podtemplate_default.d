build-chaos/obj/rules/podtemplate_default.o: rules/podtemplate_default.c \
 rules/podtemplate.h ipc/base/err.h kube/value.h rules/fielderror.h \
 ipc/base/buf.h rules/podtemplate_int.h rules/fieldcheck.h rules/strset.h \
 rules/podtemplate_schema.h rules/schema.h
rules/podtemplate.h:
ipc/base/err.h:
kube/value.h:
rules/fielderror.h:
ipc/base/buf.h:
rules/podtemplate_int.h:
rules/fieldcheck.h:
rules/strset.h:
rules/podtemplate_schema.h:
rules/schema.h:
