build-chaos/obj/kube/names.o: kube/names.c kube/names.h kube/value.h
kube/names.h:
kube/value.h:
