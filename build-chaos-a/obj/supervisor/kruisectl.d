build-chaos/obj/supervisor/kruisectl.o: supervisor/kruisectl.c \
 supervisor/kruisectl.h ipc/base/buf.h ipc/base/err.h ipc/ctl.h \
 kube/value.h
supervisor/kruisectl.h:
ipc/base/buf.h:
ipc/base/err.h:
ipc/ctl.h:
kube/value.h:
