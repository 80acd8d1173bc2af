/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_UPDATE_H
#define RULES_CLONESET_UPDATE_H

#include "rules/cloneset_scale.h"

/* Which pods a CloneSet updates now, and to what (rules U2 to U6). */

struct cloneset_update_plan {
	bool to_current;	/* back to currentRevision (gate CloneSetPartitionRollback) */
	const char *revision;	/* full name of the target */
	struct index_list pods; /* in the order in which to update them */
	enum cloneset_hold hold;
	struct index_list waiting; /* pods that `hold` keeps from being updated, next first */
	char why[160]; /* why fewer than the update number: a sentence, "" if nothing waits */
};

/*
 * What reorders the candidates after "least ready first". NULL, or a NULL member, does nothing.
 * labels[i]: metadata.labels of pod i, for those with a strategy (read from the store only then).
 */
struct cloneset_strategy {
	const val *priority; /* priorityStrategy of the updateStrategy */
	const val *scatter;  /* scatterStrategy of it */
	const val *const *labels;
};
/* Whether the CloneSet has a priority or scatter strategy, and so cloneset_update needs labels. */
bool cloneset_strategy_from(const val *cloneset, struct cloneset_strategy *out);

struct cloneset_update_plan cloneset_update(arena *a, const struct cloneset_spec *spec,
					    const struct cloneset_state *st,
					    const struct cloneset_counts *c,
					    const struct cloneset_strategy *strategy);

#endif
