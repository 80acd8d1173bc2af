build-chaos/obj/rules/gates.o: rules/gates.c rules/gates.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h
rules/gates.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
