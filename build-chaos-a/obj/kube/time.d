build-chaos/obj/kube/time.o: kube/time.c kube/time.h kube/value.h
kube/time.h:
kube/value.h:
