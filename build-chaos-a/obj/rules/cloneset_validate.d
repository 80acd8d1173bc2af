build-chaos/obj/rules/cloneset_validate.o: rules/cloneset_validate.c \
 rules/cloneset_validate.h rules/fielderror.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h kube/intorpercent.h kube/names.h \
 kube/selector.h rules/cloneset_convert.h rules/cloneset_schema.h \
 rules/schema.h rules/cloneset_validate_int.h rules/fieldcheck.h \
 rules/podtemplate.h rules/podtemplate_schema.h rules/strset.h
rules/cloneset_validate.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/intorpercent.h:
kube/names.h:
kube/selector.h:
rules/cloneset_convert.h:
rules/cloneset_schema.h:
rules/schema.h:
rules/cloneset_validate_int.h:
rules/fieldcheck.h:
rules/podtemplate.h:
rules/podtemplate_schema.h:
rules/strset.h:
