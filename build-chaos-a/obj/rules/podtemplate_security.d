build-chaos/obj/rules/podtemplate_security.o: \
 rules/podtemplate_security.c rules/podtemplate_int.h rules/fieldcheck.h \
 rules/fielderror.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 rules/strset.h kube/names.h
rules/podtemplate_int.h:
rules/fieldcheck.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/strset.h:
kube/names.h:
