build-chaos/obj/rules/fieldcheck.o: rules/fieldcheck.c rules/fieldcheck.h \
 rules/fielderror.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 kube/names.h
rules/fieldcheck.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
kube/names.h:
