build-chaos/obj/rules/lifecycle.o: rules/lifecycle.c rules/lifecycle.h \
 kube/value.h kube/time.h
rules/lifecycle.h:
kube/value.h:
kube/time.h:
