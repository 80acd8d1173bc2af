build-chaos/obj/rules/content.o: rules/content.c rules/content.h \
 kube/value.h
rules/content.h:
kube/value.h:
