build-chaos/obj/rules/cloneset_validate_update.o: \
 rules/cloneset_validate_update.c rules/cloneset_validate_int.h \
 rules/fielderror.h ipc/base/buf.h ipc/base/err.h kube/value.h \
 rules/podtemplate.h
rules/cloneset_validate_int.h:
rules/fielderror.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
rules/podtemplate.h:
