build-chaos/obj/tests/bench/tlsconn.o: tests/bench/tlsconn.c \
 tests/bench/tlsconn.h ipc/base/buf.h ipc/base/err.h
tests/bench/tlsconn.h:
ipc/base/buf.h:
ipc/base/err.h:
