build-chaos/obj/supervisor/kruisectl_ctl.o: supervisor/kruisectl_ctl.c \
 supervisor/kruisectl.h ipc/base/buf.h ipc/base/err.h ipc/ctl.h \
 kube/value.h
supervisor/kruisectl.h:
ipc/base/buf.h:
ipc/base/err.h:
ipc/ctl.h:
kube/value.h:
