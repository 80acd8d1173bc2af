build-chaos/obj/supervisor/services.o: supervisor/services.c \
 supervisor/services.h
supervisor/services.h:
