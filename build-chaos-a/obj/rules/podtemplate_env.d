build-chaos/obj/rules/podtemplate_env.o: rules/podtemplate_env.c \
 rules/podtemplate_int.h rules/fieldcheck.h rules/fielderror.h \
 ipc/base/buf.h ipc/base/err.h kube/value.h rules/strset.h kube/names.h \
 kube/quantity.h
rules/podtemplate_int.h:
rules/fieldcheck.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/strset.h:
kube/names.h:
kube/quantity.h:
