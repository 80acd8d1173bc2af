/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_SCALE_H
#define RULES_CLONESET_SCALE_H

#include "rules/cloneset_count.h"

/* Which pods a CloneSet creates and deletes (rules P1 to P8). */

struct index_list {
	uint32_t *i; /* indexes into the state's pods; in the arena */
	size_t n;
};

/* What holds pods back, of those that a plan would create, delete or update. */
enum cloneset_hold {
	HOLD_NONE,
	HOLD_SCALE_LIMIT,     /* scaleStrategy.maxUnavailable: creation */
	HOLD_DELETE_LIMIT,    /* R12: ready pods that should go */
	HOLD_PAUSED,	      /* from here on: updates */
	HOLD_ON_DELETE,	      /* only what users delete is updated */
	HOLD_MAX_UNAVAILABLE, /* U5 */
};

/*
 * At most one of cancel, create and (release, remove) is not empty. If the caller has written
 * anything for this plan, the update waits for the next sync.
 */
struct cloneset_scale_plan {
	struct index_list cancel; /* PreparingDelete → PreparingNormal (P1) */
	int32_t create_old;	  /* pods to create from currentRevision, first */
	int32_t create_new;	  /* then from updateRevision */
	bool limited;		  /* event ScaleUpLimited is due (P2) */
	struct index_list
	    release; /* in PreparingDelete: DELETE those that no preDelete hook holds (P4) */
	struct index_list
	    remove;   /* to delete, through the preDelete hook if there is one (P5, P6, P7) */
	int32_t held; /* ready pods that should go but must wait for others to become available */
	struct index_list kept; /* these */
	enum cloneset_hold hold;
	char why[160]; /* a sentence if something waits, else "" */
};

/* How scale-down ranks pods. Without constraints: same-node. `spread` has entries for all pods of
 * the state. */
struct cloneset_ranking {
	const struct pod_spread *spread;
	size_t n_spread;
};

/* ranking may be NULL. */
struct cloneset_scale_plan cloneset_scale(arena *a, const struct cloneset_spec *spec,
					  const struct cloneset_state *st,
					  const struct cloneset_counts *c,
					  const struct cloneset_ranking *ranking);

/* Instance ids: CLONESET_ID_LEN characters of CLONESET_ID_ALPHABET. */
#define CLONESET_ID_ALPHABET "bcdfghjklmnpqrstvwxz2456789"
#define CLONESET_ID_LEN 5
bool cloneset_instance_id_valid(struct str id);
/* The id that random bits make; for the caller, who has randomness. */
void cloneset_instance_id(uint64_t random, char out[static CLONESET_ID_LEN + 1]);

/*
 * The complete Pod to POST: NAME-ID in the CloneSet's namespace, with everything of rule P8.
 * template: of the revision (revision_restore; "$patch" is dropped if it is there). revision: the
 * ControllerRevision's full name. The result shares memory with its arguments. NULL-safe against
 * odd templates; -EINVAL when the template is no map or the CloneSet lacks name or uid.
 */
int cloneset_new_pod(arena *a, const val *cloneset, const val *template, struct str revision,
		     const char *id, int64_t now, bool short_hash, val *out, struct err *e);

/* Name of the claim of a volumeClaimTemplate for one instance: TEMPLATE-NAME-ID. */
char *cloneset_claim_name(arena *a, struct str template_name, struct str cloneset_name,
			  const char *id);
/* The PersistentVolumeClaim to POST (rule P9) for one entry of spec.volumeClaimTemplates. */
int cloneset_new_claim(arena *a, const val *cloneset, const val *claim_template, const char *id,
		       val *out, struct err *e);

/* podsToDelete without the names that no active pod has: true and a merge patch of the CloneSet in
 * *patch if something is to be trimmed. With a resourceVersion precondition. */
bool cloneset_trim_pods_to_delete(arena *a, const val *cloneset, const struct cloneset_state *st,
				  val *patch);

/* Merge patch that marks a pod for replacement (rule U9). */
val cloneset_specified_delete_patch(arena *a, struct str uid);
/* Merge patch that gives a pod the label pod-template-hash (rule U1). revision: the pod's own
 * label. */
val cloneset_template_hash_patch(arena *a, struct str revision, struct str uid);

#endif
