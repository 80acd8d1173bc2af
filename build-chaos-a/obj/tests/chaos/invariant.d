build-chaos/obj/tests/chaos/invariant.o: tests/chaos/invariant.c \
 tests/chaos/invariant.h ipc/base/buf.h
tests/chaos/invariant.h:
ipc/base/buf.h:
