build-chaos/obj/rules/certrenewal.o: rules/certrenewal.c \
 rules/certrenewal.h ipc/base/err.h
rules/certrenewal.h:
ipc/base/err.h:
