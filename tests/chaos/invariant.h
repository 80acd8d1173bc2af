/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHAOS_INVARIANT_H
#define CHAOS_INVARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What must hold of a CloneSet at every event of the API server, whatever dies meanwhile. Pure: the
 * recorder passes what it has seen, in the order of resourceVersions, and the time in µs.
 *
 * A worker may still act by an older spec than the newest: until it has said (observedGeneration)
 * that it knows a newer one, and a moment longer for what was on its way. So a limit is the most
 * generous of those specs' limits.
 */
#define INV_MAX_SPECS 32
#define INV_SPEC_LINGER_USEC 3000000u

struct inv_spec {
	int64_t generation;
	int32_t replicas, partition, max_surge, max_unavailable;
	uint64_t superseded_usec; /* when a newer generation was observed; 0: not yet */
};

struct inv_pod {
	char name[80];
	char id[16];	   /* label cloneset-instance-id */
	char revision[80]; /* label controller-revision-hash */
	bool active;	   /* neither terminating nor finished */
	bool available;	   /* and Ready */
};

/* Zero-initialise it; inv_free() releases. */
struct inv_set {
	struct inv_spec spec[INV_MAX_SPECS]; /* the newest is the last */
	size_t n_specs;
	struct inv_pod *pods;
	size_t n_pods, cap;
	int32_t active, available;
};

enum inv_breach {
	INV_EXTRA = 1 << 0,	  /* more active pods than replicas + maxSurge, by a creation */
	INV_UNAVAILABLE = 1 << 1, /* a pod taken away below replicas − maxUnavailable */
	INV_SAME_ID = 1 << 2,	  /* two pods of one instance id */
};

/* The CloneSet as it is now; observed is status.observedGeneration. */
void inv_spec_seen(struct inv_set *s, const struct inv_spec *spec, int64_t observed, uint64_t now);
/* A pod as it is now; gone: it was removed. Returns a mask of enum inv_breach, of this event. */
unsigned inv_pod_seen(struct inv_set *s, const struct inv_pod *pod, bool gone, uint64_t now);
/* All pods of the newest spec are there, none more, ready, and enough of them at the revision. */
bool inv_settled(const struct inv_set *s, const char *revision);
void inv_free(struct inv_set *s);

/* The limits in force. */
int32_t inv_most_active(const struct inv_set *s);
int32_t inv_least_available(const struct inv_set *s);

#endif
