build-chaos/obj/ipc/ctl.o: ipc/ctl.c ipc/ctl.h ipc/base/buf.h \
 ipc/base/err.h kube/value.h
ipc/ctl.h:
ipc/base/buf.h:
ipc/base/err.h:
kube/value.h:
