build-chaos/obj/supervisor/backoff.o: supervisor/backoff.c \
 supervisor/backoff.h
supervisor/backoff.h:
