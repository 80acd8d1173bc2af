build-chaos/obj/kube/base64.o: kube/base64.c kube/base64.h ipc/base/buf.h
kube/base64.h:
ipc/base/buf.h:
