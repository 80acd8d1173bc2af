build-chaos/obj/workers/main.o: workers/main.c \
 workers/cloneset/cloneset.h \
 workers/containerlaunchpriority/containerlaunchpriority.h \
 workers/elector/elector.h workers/podreadiness/podreadiness.h \
 workers/webhookconfig/main.h
workers/cloneset/cloneset.h:
workers/containerlaunchpriority/containerlaunchpriority.h:
workers/elector/elector.h:
workers/podreadiness/podreadiness.h:
workers/webhookconfig/main.h:
