/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_explain_int.h"

static uint32_t hash_of(const char *s)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

/* What no longer counts as said: all of it with another revision, or once the roll-out is over; the
 * user's own stops when it has gone on since. */
static void forget(struct cloneset_said *said, const struct cloneset_explain *x,
		   const struct cloneset_verdict *v)
{
	uint32_t revision = hash_of(x->st->update_revision);

	if (said->revision != revision || v->stand == STAND_COMPLETE)
		said->stands = 0;
	said->revision = revision;
	if (v->stand != STAND_GOING || !x->update || x->update->pods.n == 0)
		return;
	for (int s = 0; s < N_STANDS; s++) {
		if (cloneset_explain_stand((enum cloneset_stand)s)->again)
			said->stands &= ~(UINT32_C(1) << s);
	}
}

bool cloneset_verdict_is_news(struct cloneset_said *said, const struct cloneset_explain *x,
			      const struct cloneset_verdict *v, bool seen, int64_t *again)
{
	const struct stand *s = cloneset_explain_stand(v->stand);
	uint32_t bit = UINT32_C(1) << v->stand;
	bool first = !said->begun;
	int64_t lasts = x->st->now - v->since;

	said->begun = true;
	forget(said, x, v);
	if (s->after < 0 || (said->stands & bit))
		return false;
	if (lasts < s->after) {
		/* a clock ahead of ours must not make it longer than the whole time */
		*again = lasts < 0 ? s->after : s->after - lasts;
		return false;
	}
	said->stands |= bit;
	return !(first && seen);
}
