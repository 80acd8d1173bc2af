/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_PROGRESS_H
#define RULES_CLONESET_PROGRESS_H

#include "rules/cloneset_status.h"

#define CONDITION_PROGRESSING "Progressing"

/*
 * Rule S2: the condition Progressing of a CloneSet with progressDeadlineSeconds. Sets it in
 * `after`, or removes it when there is no deadline. before: the status as stored.
 *
 * The deadline counts from the condition's lastUpdateTime. That is renewed whenever the reason
 * changes, a new revision rolls out, or pods got updated, ready or available since the stored
 * status; it never causes a write of its own.
 *
 * Returns the seconds after which to look again, 0 when time changes nothing.
 */
int64_t cloneset_progress(arena *a, const val *cloneset, const struct cloneset_spec *spec,
			  const struct cloneset_status *before, struct cloneset_status *after,
			  int64_t now);

#endif
