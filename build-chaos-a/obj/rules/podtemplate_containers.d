build-chaos/obj/rules/podtemplate_containers.o: \
 rules/podtemplate_containers.c rules/podtemplate_int.h \
 rules/fieldcheck.h rules/fielderror.h ipc/base/buf.h ipc/base/err.h \
 kube/value.h rules/strset.h kube/names.h
rules/podtemplate_int.h:
rules/fieldcheck.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/strset.h:
kube/names.h:
