/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_LEASE_H
#define RULES_LEASE_H

#include "kube/value.h"

/*
 * Leader election over a coordination.k8s.io/v1 Lease, one decision at a time. Whether another's
 * lease has run out is judged by our own clock since we last saw it change: clocks of two machines
 * are never compared.
 */
enum lease_action {
	LEASE_CREATE, /* there is none */
	LEASE_TAKE,   /* free, expired, or ours from before a restart */
	LEASE_RENEW,  /* ours */
	LEASE_WAIT,   /* another's */
};

struct lease_observed {
	char holder[256];
	char renew_time[64];
	uint64_t
	    seen_usec; /* monotonic time at which holder or renew_time was first seen like this */
};

/* lease NULL: the object does not exist. Updates *seen. holding: we renewed it in this process. */
enum lease_action lease_decide(const val *lease, const char *identity, bool holding,
			       uint64_t now_usec, struct lease_observed *seen);

/* The Lease to write: a copy of `lease` (or a new one) held by identity; holder "" releases it.
 * now_text: MicroTime. */
val lease_build(arena *a, const val *lease, const char *ns, const char *name, const char *identity,
		int64_t duration_seconds, const char *now_text);

#endif
