/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_CONTAINERLAUNCHPRIORITY_LAUNCHES_H
#define WORKERS_CONTAINERLAUNCHPRIORITY_LAUNCHES_H

#include "kube/value.h"

#include <uthash.h>

/*
 * The pods that are starting, by "namespace/name": only their deltas are looked at, and what is
 * known of a barrier is not asked for again. Nothing here must survive the process: a new one
 * finds these pods in the store, and asks the API server once for each barrier.
 */
struct launch {
	char *key;
	char *pod_uid;
	char *barrier_uid;     /* of the ConfigMap; NULL: not known */
	char *opened;	       /* the key that it has for sure; NULL: not known */
	uint64_t checked_usec; /* CLOCK_MONOTONIC, when that was seen */
	UT_hash_handle hh;
};

struct launches {
	struct launch *pods;
};

struct launch *launches_find(const struct launches *all, const char *key);
/* The pod's entry, made when absent; a namesake's is replaced. */
struct launch *launches_of(struct launches *all, const char *key, struct str pod_uid);
void launches_forget(struct launches *all, const char *key);
void launches_forget_all(struct launches *all);

/* The barrier with this uid has the key. */
void launch_opened(struct launch *l, struct str barrier_uid, const char *key, uint64_t now_usec);
/* The barrier is another one, or gone. */
void launch_unknown(struct launch *l);

#endif
