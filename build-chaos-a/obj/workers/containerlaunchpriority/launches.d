build-chaos/obj/workers/containerlaunchpriority/launches.o: \
 workers/containerlaunchpriority/launches.c \
 workers/containerlaunchpriority/launches.h kube/value.h ipc/base/buf.h
workers/containerlaunchpriority/launches.h:
kube/value.h:
ipc/base/buf.h:
