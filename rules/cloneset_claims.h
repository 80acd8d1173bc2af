/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_CLAIMS_H
#define RULES_CLONESET_CLAIMS_H

#include "rules/pod.h"

/* The PersistentVolumeClaims of a CloneSet: which stay, which go, which ids they offer (C4, P8,
 * P9). */

struct cloneset_claim {
	struct str name, uid;
	struct str id; /* label cloneset-instance-id */
	bool going;    /* terminating, or its deletion was asked for */
	const val *object;
};
/* The strings point into the object. */
struct cloneset_claim cloneset_claim_view(const val *pvc);

enum claim_fate {
	CLAIM_KEEP,
	CLAIM_GIVE,   /* the pod becomes its owner, so that it goes with it */
	CLAIM_DELETE, /* nobody uses it */
};
struct claim_plan {
	enum claim_fate fate;
	const struct pod_view *pod; /* CLAIM_GIVE */
};
/* What becomes of each claim when claims are not used again (C4). pods: all of the set. */
void cloneset_claim_fates(arena *a, const struct cloneset_claim *claims, size_t n,
			  const struct pod_view *const *pods, size_t n_pods,
			  struct claim_plan *out);

/* The instance ids that claims offer to new pods (P8). */
struct claim_ids {
	const char **free; /* of claims that no pod uses, each once, sorted */
	size_t n_free;
	size_t n_held; /* ids whose pod is terminating: free as soon as it has gone */
};
struct claim_ids cloneset_claim_ids(arena *a, const struct cloneset_claim *claims, size_t n,
				    const struct pod_view *const *pods, size_t n_pods);
/* Whether a claim, going or not, has the id. */
bool cloneset_claim_has_id(const struct cloneset_claim *claims, size_t n, const char *id);

/* The hash of spec.volumeClaimTemplates that a ControllerRevision is annotated with
 * (ANNO_CLAIMS_HASH), decimal; "" without templates, or when one is no valid claim. */
const char *cloneset_claims_hash(arena *a, const val *cloneset);

/* Merge patch: pod in place of the CloneSet with this uid as owner. With uid and resourceVersion as
 * preconditions. */
val cloneset_claim_give_patch(arena *a, const struct cloneset_claim *claim, struct str cloneset_uid,
			      const struct pod_view *pod);

#endif
