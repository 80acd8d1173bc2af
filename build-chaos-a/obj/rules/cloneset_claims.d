build-chaos/obj/rules/cloneset_claims.o: rules/cloneset_claims.c \
 rules/cloneset_claims.h rules/pod.h kube/value.h rules/lifecycle.h
rules/cloneset_claims.h:
rules/pod.h:
kube/value.h:
rules/lifecycle.h:
