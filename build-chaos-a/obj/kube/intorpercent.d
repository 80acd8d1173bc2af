build-chaos/obj/kube/intorpercent.o: kube/intorpercent.c \
 kube/intorpercent.h ipc/base/err.h kube/value.h
kube/intorpercent.h:
ipc/base/err.h:
kube/value.h:
