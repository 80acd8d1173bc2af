build-chaos/obj/rules/revision.o: rules/revision.c rules/revision.h \
 ipc/base/err.h kube/resource.h ipc/base/buf.h kube/value.h kube/json.h \
 kube/ownerref.h kube/time.h rules/content.h rules/podtemplate.h \
 rules/fielderror.h
rules/revision.h:
ipc/base/err.h:
kube/resource.h:
ipc/base/buf.h:
kube/value.h:
kube/json.h:
kube/ownerref.h:
kube/time.h:
rules/content.h:
rules/podtemplate.h:
rules/fielderror.h:
