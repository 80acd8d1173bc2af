build-chaos/obj/rules/lease.o: rules/lease.c rules/lease.h kube/value.h
rules/lease.h:
kube/value.h:
