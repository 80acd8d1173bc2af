/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/lease.h"

#include <stdio.h>
#include <string.h>

static void observe(const val *spec, uint64_t now_usec, struct lease_observed *seen)
{
	char holder[sizeof(seen->holder)], renew[sizeof(seen->renew_time)];
	snprintf(holder, sizeof(holder), "%.*s", STR_ARG(val_str(val_get(spec, "holderIdentity"))));
	snprintf(renew, sizeof(renew), "%.*s", STR_ARG(val_str(val_get(spec, "renewTime"))));
	if (seen->seen_usec && strcmp(holder, seen->holder) == 0 &&
	    strcmp(renew, seen->renew_time) == 0)
		return;
	memcpy(seen->holder, holder, sizeof(holder));
	memcpy(seen->renew_time, renew, sizeof(renew));
	seen->seen_usec = now_usec;
}

enum lease_action lease_decide(const val *lease, const char *identity, bool holding,
			       uint64_t now_usec, struct lease_observed *seen)
{
	if (!lease)
		return LEASE_CREATE;
	const val *spec = val_get(lease, "spec");
	observe(spec, now_usec, seen);
	if (strcmp(seen->holder, identity) == 0)
		return holding ? LEASE_RENEW : LEASE_TAKE;
	if (seen->holder[0] == '\0')
		return LEASE_TAKE;
	/* a holder that names no duration, or a silly one, is given 15 s */
	int64_t seconds = val_int_or(val_get(spec, "leaseDurationSeconds"), 0);
	if (seconds < 1 || seconds > 3600)
		seconds = 15;
	return now_usec - seen->seen_usec >= (uint64_t)seconds * 1000000 ? LEASE_TAKE : LEASE_WAIT;
}

val lease_build(arena *a, const val *lease, const char *ns, const char *name, const char *identity,
		int64_t duration_seconds, const char *now_text)
{
	val out = lease ? val_copy(a, lease) : val_map();
	if (!lease) {
		val_set(a, &out, "apiVersion", val_of_str("coordination.k8s.io/v1"));
		val_set(a, &out, "kind", val_of_str("Lease"));
		val *meta = val_ensure_map(a, &out, "metadata");
		val_set(a, meta, "namespace", val_of_strdup(a, str_of(ns)));
		val_set(a, meta, "name", val_of_strdup(a, str_of(name)));
	}
	val *spec = val_ensure_map(a, &out, "spec");
	bool same = val_is(val_get(spec, "holderIdentity"), identity);
	bool release = identity[0] == '\0';
	int64_t transitions = val_int_or(val_get(spec, "leaseTransitions"), 0);
	val_set(a, spec, "holderIdentity", val_of_strdup(a, str_of(identity)));
	val_set(a, spec, "leaseDurationSeconds", val_of_int(release ? 1 : duration_seconds));
	val_set(a, spec, "renewTime", val_of_strdup(a, str_of(now_text)));
	if (!same)
		val_set(a, spec, "acquireTime", val_of_strdup(a, str_of(now_text)));
	if (!same && !release)
		val_set(a, spec, "leaseTransitions", val_of_int(lease ? transitions + 1 : 0));
	return out;
}
