build-chaos/obj/kube/value.o: kube/value.c kube/value.h
kube/value.h:
