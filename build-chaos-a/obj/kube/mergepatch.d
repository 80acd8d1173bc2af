build-chaos/obj/kube/mergepatch.o: kube/mergepatch.c kube/mergepatch.h \
 kube/value.h
kube/mergepatch.h:
kube/value.h:
