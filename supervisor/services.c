/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/services.h"

#include <string.h>

#define SEC 1000000u
#define MIB ((uint64_t)1 << 20)

enum { PHASE_LEADER, PHASE_ELECTOR, PHASE_CONFIG, PHASE_ADMISSION, PHASE_WATCHER };

#define LEADER_WORKER(worker)                                                                 \
	{                                                                                     \
		worker, "kruise-worker", worker, SERVICE_LEADER_ONLY, PHASE_LEADER, 10 * SEC, \
		    1024 * MIB                                                                \
	}

const struct service_def service_defs[] = {
    {"watcher", "kruise-watcher", NULL, 0, PHASE_WATCHER, 10 * SEC, 2048 * MIB},
    {"webhookd-0", "kruise-webhookd", NULL, SERVICE_SOCKETS | SERVICE_ADMISSION, PHASE_ADMISSION,
     2 * SEC, 512 * MIB},
    {"webhookd-1", "kruise-webhookd", NULL, SERVICE_SOCKETS | SERVICE_ADMISSION, PHASE_ADMISSION,
     2 * SEC, 512 * MIB},
    {"webhookconfig", "kruise-worker", "webhookconfig", SERVICE_CONFIG, PHASE_CONFIG, 10 * SEC,
     1024 * MIB},
    /* hung for as long as a Lease is good for, it would cost the leadership that its successor
     * can still save */
    {"elector", "kruise-worker", "elector", SERVICE_ELECTOR, PHASE_ELECTOR, 3 * SEC, 1024 * MIB},
    LEADER_WORKER("podreadiness"),
    LEADER_WORKER("containerlaunchpriority"),
    LEADER_WORKER("cloneset"),
};
const size_t n_service_defs = sizeof(service_defs) / sizeof(service_defs[0]);

int service_find(const char *name, size_t n)
{
	for (size_t i = 0; i < n_service_defs; i++)
		if (strlen(service_defs[i].name) == n && memcmp(service_defs[i].name, name, n) == 0)
			return (int)i;
	return -1;
}

bool service_may_start(const struct service_def *d, const struct conditions *c)
{
	if ((d->flags & SERVICE_LEADER_ONLY) && !c->configured)
		return false;
	return service_may_run(d, c);
}

bool service_may_run(const struct service_def *d, const struct conditions *c)
{
	if (d->flags & SERVICE_LEADER_ONLY)
		return c->leader;
	if (d->flags & SERVICE_ELECTOR)
		return c->election;
	return true;
}

uint64_t service_grace_usec(const struct service_def *d)
{
	return d->beat_usec > SERVICE_GRACE_USEC ? d->beat_usec : SERVICE_GRACE_USEC;
}

void leadership_init(struct leadership *l, bool election)
{
	*l = (struct leadership){.election = election, .until_usec = election ? 0 : UINT64_MAX};
}

void leadership_new_elector(struct leadership *l)
{
	l->spoken = false;
}

void leadership_beat(struct leadership *l, uint64_t until_usec)
{
	if (until_usec == 0 && !l->spoken)
		return;
	l->spoken = true;
	l->until_usec = until_usec;
}

bool leadership_certain(const struct leadership *l, uint64_t now_usec)
{
	return now_usec < l->until_usec;
}
