/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_REVISION_H
#define RULES_REVISION_H

#include "ipc/base/err.h"
#include "kube/resource.h"
#include "kube/value.h"

/* ControllerRevisions (apps/v1) as history of a workload's pod template. */

#define LABEL_CONTROLLER_HASH "controller.kubernetes.io/hash"
#define REVISION_HASH_LEN 11   /* ten characters at most, and the NUL */
#define REVISION_OWNER_MAX 223 /* bytes of the owner's name that go into a revision's name */
#define REVISION_NAME_LEN 256  /* room for any name, and the NUL */

/* The hash of the data's bytes and the collision count, in the safe alphabet. */
void revision_hash(struct str data, int32_t collision_count, char out[static REVISION_HASH_LEN]);
/* OWNER-HASH, the owner cut to REVISION_OWNER_MAX bytes. */
void revision_name(struct str owner, const char *hash, char out[static REVISION_NAME_LEN]);
/* What follows the last '-', or all of it. */
struct str revision_short(struct str name_or_hash);
/* The value of a pod's label controller-revision-hash: the revision's full name, or its hash alone
 * (gate CloneSetShortHash, or when the name is longer than a label may be). Points into name. */
#define LABEL_VALUE_MAX 63
struct str revision_label(struct str name, bool short_hash);
/* Whether a pod's label controller-revision-hash (full or short) names this revision. An empty
 * label names none. */
bool revision_matches(struct str label, struct str revision_name);

/* A template as a revision holds it. */
struct revision_data {
	val data;	 /* {"spec":{"template":{…,"$patch":"replace"}}} in canonical form */
	struct str json; /* its bytes, which are what is hashed; in the arena */
};
/* template: a pod template as in the workload's spec. -EINVAL when it is no valid template. */
int revision_data(arena *a, const val *template, struct revision_data *out, struct err *e);

/* The pod template inside a ControllerRevision, or NULL. "$patch" is still in it. */
const val *revision_template(const val *revision);

/* A template as workloads have it (without "$patch"); *out shares memory with the revision. False
 * when the revision holds none. */
bool revision_restore(arena *a, const val *revision, val *out);

/* Whether a ControllerRevision holds the same template: same content after canonicalisation. */
bool revision_equal(arena *a, const val *revision, const struct revision_data *data);

/* Order of the history: number, then creation time, then name. */
int revision_cmp(const val *a, const val *b);
void revision_sort(const val **revisions, size_t n);
int64_t revision_number(const val *revision);

/* What to do about the workload's present template (rules R4b, R6). */
enum revision_action {
	REVISION_USE,	   /* `index` is equal and the newest */
	REVISION_RENUMBER, /* `index` is equal but older: raise its number to `number` (a rollback)
			    */
	REVISION_CREATE,   /* none is equal: make one with `number` */
};
struct revision_decision {
	enum revision_action action;
	size_t index;
	int64_t number;
};
/* revisions: those of the workload, sorted. Of several equal ones the newest is taken. */
struct revision_decision revision_decide(arena *a, const val *const *revisions, size_t n,
					 const struct revision_data *data);

/*
 * A new ControllerRevision object of `owner` (a whole workload of kind `kind`). labels: the
 * template's labels. The caller POSTs it; on AlreadyExists it reads the object of that name: if
 * revision_equal (and its controller is the owner), it uses that, else it adds 1 to collision_count
 * and asks again. *name_out points into the result.
 */
val revision_new(arena *a, const struct k8s_resource *kind, const val *owner,
		 const struct revision_data *data, int64_t number, int32_t collision_count);
/* Merge patch that raises a revision's number. */
val revision_renumber_patch(arena *a, int64_t number, struct str resource_version);

/*
 * Which revisions to delete (rule R10): indexes into `revisions` (sorted), oldest first, written to
 * out (room for n). live[i]: it is current, update, or of some pod. Returns how many.
 */
size_t revision_trim(const bool *live, size_t n, int64_t limit, uint32_t *out);

#endif
