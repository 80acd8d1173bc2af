build-chaos/obj/rules/strset.o: rules/strset.c rules/strset.h \
 kube/value.h
rules/strset.h:
kube/value.h:
