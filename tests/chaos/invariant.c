/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/chaos/invariant.h"

#include "ipc/base/buf.h"

#include <stdlib.h>
#include <string.h>

static void drop_old_specs(struct inv_set *s, uint64_t now)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n_specs; i++) {
		const uint64_t over = s->spec[i].superseded_usec;
		if (over == 0 || now <= over + INV_SPEC_LINGER_USEC)
			s->spec[kept++] = s->spec[i];
	}
	s->n_specs = kept;
}

void inv_spec_seen(struct inv_set *s, const struct inv_spec *spec, int64_t observed, uint64_t now)
{
	struct inv_spec *last = s->n_specs ? &s->spec[s->n_specs - 1] : NULL;
	if (!last || last->generation != spec->generation) {
		if (s->n_specs == INV_MAX_SPECS) /* the oldest goes */
			memmove(s->spec, s->spec + 1, --s->n_specs * sizeof(*s->spec));
		s->spec[s->n_specs] = *spec;
		s->spec[s->n_specs++].superseded_usec = 0;
	}
	for (size_t i = 0; i + 1 < s->n_specs; i++)
		if (s->spec[i].generation < observed && s->spec[i].superseded_usec == 0)
			s->spec[i].superseded_usec = now;
	drop_old_specs(s, now);
}

int32_t inv_most_active(const struct inv_set *s)
{
	int32_t most = 0;
	for (size_t i = 0; i < s->n_specs; i++) {
		const int32_t n = s->spec[i].replicas + s->spec[i].max_surge;
		most = n > most ? n : most;
	}
	return most;
}

int32_t inv_least_available(const struct inv_set *s)
{
	int32_t least = INT32_MAX;
	for (size_t i = 0; i < s->n_specs; i++) {
		const int32_t n = s->spec[i].replicas - s->spec[i].max_unavailable;
		least = n < least ? n : least;
	}
	return s->n_specs ? least : 0;
}

static struct inv_pod *find(struct inv_set *s, const char *name)
{
	for (size_t i = 0; i < s->n_pods; i++)
		if (strcmp(s->pods[i].name, name) == 0)
			return &s->pods[i];
	return NULL;
}

static struct inv_pod *add(struct inv_set *s, const char *name)
{
	if (s->n_pods == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 32;
		s->pods = xrealloc(s->pods, s->cap * sizeof(*s->pods));
	}
	struct inv_pod *p = &s->pods[s->n_pods++];
	memset(p, 0, sizeof(*p));
	memcpy(p->name, name, strnlen(name, sizeof(p->name) - 1));
	return p;
}

static bool same_id(const struct inv_set *s, const struct inv_pod *pod)
{
	for (size_t i = 0; *pod->id && i < s->n_pods; i++)
		if (strcmp(s->pods[i].id, pod->id) == 0 && strcmp(s->pods[i].name, pod->name) != 0)
			return true;
	return false;
}

unsigned inv_pod_seen(struct inv_set *s, const struct inv_pod *pod, bool gone, uint64_t now)
{
	unsigned breach = 0;
	drop_old_specs(s, now);
	struct inv_pod *known = find(s, pod->name);
	const bool is_new = !known;
	if (gone && is_new)
		return 0;
	if (is_new)
		known = add(s, pod->name);
	const struct inv_pod was = *known;
	struct inv_pod is = *pod;
	is.active = !gone && pod->active;
	is.available = is.active && pod->available;
	*known = is;
	s->active += is.active - was.active;
	s->available += is.available - was.available;
	if (is.active && !was.active && s->n_specs && s->active > inv_most_active(s))
		breach |= INV_EXTRA;
	if (was.available && !is.available && s->available < inv_least_available(s))
		breach |= INV_UNAVAILABLE;
	if (is_new && same_id(s, &is))
		breach |= INV_SAME_ID;
	if (gone)
		*known = s->pods[--s->n_pods];
	return breach;
}

bool inv_settled(const struct inv_set *s, const char *revision)
{
	if (s->n_specs == 0)
		return false;
	const struct inv_spec *spec = &s->spec[s->n_specs - 1];
	int32_t updated = 0;
	for (size_t i = 0; i < s->n_pods; i++)
		updated += s->pods[i].active && strcmp(s->pods[i].revision, revision) == 0;
	return s->active == spec->replicas && s->available == spec->replicas &&
	       updated >= spec->replicas - spec->partition;
}

void inv_free(struct inv_set *s)
{
	free(s->pods);
	memset(s, 0, sizeof(*s));
}
