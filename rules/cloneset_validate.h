/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_VALIDATE_H
#define RULES_CLONESET_VALIDATE_H

#include "rules/fielderror.h"

/* What validation needs to know of a pod that podsToDelete names. */
struct pod_facts {
	bool exists;
	bool terminating;
	struct str
	    controller_uid; /* of the controller owner reference; absent when there is none */
};

struct cloneset_validate_env {
	/* Looks a pod up by name in the CloneSet's namespace. NULL: pods are not looked up, and
	 * every name counts as existing and owned. */
	struct pod_facts (*pod)(struct str namespace, struct str name, void *userdata);
	void *userdata;
};

/*
 * Validates a CloneSet of either version; where it has no defaults yet they are assumed.
 * old: the stored object on update, NULL on creation. env may be NULL. What is wrong is added to
 * `out` (field_errors_init first); out->n is 0 for a valid object. Any JSON value may be passed as
 * cloneset. On an update that leaves spec as it is only metadata is checked.
 */
void cloneset_validate(arena *a, const val *cloneset, const val *old,
		       const struct cloneset_validate_env *env, struct field_errors *out);

#endif
