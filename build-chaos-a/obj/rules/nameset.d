build-chaos/obj/rules/nameset.o: rules/nameset.c rules/nameset.h \
 kube/value.h
rules/nameset.h:
kube/value.h:
