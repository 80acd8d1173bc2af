build-chaos/obj/tests/faults/proxy.o: tests/faults/proxy.c ipc/base/buf.h \
 ipc/base/log.h
ipc/base/buf.h:
ipc/base/log.h:
