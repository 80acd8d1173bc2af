/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_KRUISECTL_EXPLAIN_H
#define SUPERVISOR_KRUISECTL_EXPLAIN_H

#include "rules/cloneset_explain.h"
#include "rules/cloneset_status.h"

/* What kruised says of itself. */
struct situation {
	bool leader;
	char leader_note[256]; /* the elector's words, or "" */
	char worker_note[256]; /* why the cloneset worker is not ready, or "" */
	long long pid;	       /* kruised's; 0: not told */
};

/* A remark that comes before the controller's own verdict. */
struct remark {
	enum cloneset_stand stand;
	char text[600];
};

/* A pod that is of no account any more. */
struct inactive {
	const char *name, *text;
};

/* One CloneSet, as the store and its controller's rules have it. */
struct view {
	arena *a;
	struct str ns, name;
	const val *object;
	int64_t generation, now;
	struct cloneset_status status; /* as stored */
	struct cloneset_spec spec;
	struct cloneset_state st;
	struct cloneset_counts c;
	struct cloneset_scale_plan scale;
	struct cloneset_update_plan update;
	struct cloneset_explain x;
	struct cloneset_verdict verdict;
	enum cloneset_step *steps;
	const val **objects;	/* of the pods of st */
	struct pod_view *views; /* of all pods, to be freed */
	size_t n_views;
	struct inactive *inactive;
	size_t n_inactive;
	struct remark remarks[4];
	size_t n_remarks;
	bool judged; /* the spec could be acted on: spec and all that follows is there */
	int64_t store_age_usec;
	bool leader;
};

void explain_print(const struct view *v, bool all);
void explain_print_json(const struct view *v);

#endif
