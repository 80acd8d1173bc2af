build-chaos/obj/rules/podtemplate_validate.o: \
 rules/podtemplate_validate.c rules/podtemplate.h ipc/base/err.h \
 kube/value.h rules/fielderror.h ipc/base/buf.h kube/names.h \
 rules/podtemplate_int.h rules/fieldcheck.h rules/strset.h \
 rules/podtemplate_schema.h rules/schema.h
rules/podtemplate.h:
ipc/base/err.h:
kube/value.h:
rules/fielderror.h:
ipc/base/buf.h:
kube/names.h:
rules/podtemplate_int.h:
rules/fieldcheck.h:
rules/strset.h:
rules/podtemplate_schema.h:
rules/schema.h:
