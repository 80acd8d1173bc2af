/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/ownerref.h"
#include "rules/predownload.h"
#include "rules/revision.h"
#include "workers/cloneset/clone.h"

#include <string.h>

/*
 * C8. Pre-download is an aid: what fails is said in an event, and not tried again by this process
 * until the next revision; the roll-out does not wait for it. Jobs are not watched: their names
 * tell which revision they are of.
 */

struct fetch {
	struct clone *c;
	struct str revision;
	size_t open; /* answers that are still to come */
	bool failed;
};

struct job {
	struct fetch *fetch;
	const char *name, *image;
};

static void label_revision(struct clone *c, struct str revision, const char *label)
{
	val patch = predownload_label_patch(c->s->arena, label);
	sync_patch(c->s, &K8S_CONTROLLERREVISIONS, c->s->ns, revision, NULL, K8S_PATCH_MERGE,
		   &patch, NULL, NULL);
}

static void on_job(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct job *j = userdata;
	struct clone *c = j->fetch->c;
	(void)s;
	if (k8s_ok(r)) {
		clone_event(c, K8S_EVENT_NORMAL, "CreatedImagePullJob",
			    "created ImagePullJob %s for image: %s", j->name, j->image);
	} else if (!k8s_is_already_exists(r)) {
		j->fetch->failed = true;
		clone_event(c, K8S_EVENT_WARNING, "FailedCreateImagePullJob",
			    "failed to create ImagePullJob %s: %s", j->name, r->error);
	}
	if (--j->fetch->open == 0 && !j->fetch->failed)
		label_revision(c, j->fetch->revision, LABEL_PREDOWNLOAD_CREATED);
}

static void create_jobs(struct clone *c, const struct inplace_spec *change)
{
	arena *a = c->s->arena;
	struct fetch *f = arena_alloc(a, sizeof(*f));
	*f = (struct fetch){.c = c, .revision = str_of(c->update_name), .open = change->n_images};
	for (size_t i = 0; i < change->n_images; i++) {
		const struct inplace_image *image = &change->images[i];
		struct job *j = arena_alloc(a, sizeof(*j));
		*j = (struct job){f, predownload_job_name(a, c->update, image->container),
				  arena_strndup(a, image->image.p, image->image.n)};
		val object = predownload_job(a, &c->object, c->update, image);
		sync_create(c->s, &K8S_IMAGEPULLJOBS, c->s->ns, &object, on_job, j);
	}
}

static void on_removed(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (!k8s_ok(r) && !k8s_is_not_found(r))
		sync_fail_response(s, "cannot delete an ImagePullJob", r);
}

static void on_found(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct clone *c = userdata;
	const val *meta = val_get(r->object, "metadata");
	if (k8s_ok(r) && ownerref_is_controlled_by(r->object, c->uid))
		sync_delete(s, &K8S_IMAGEPULLJOBS, s->ns, val_str(val_get(meta, "name")),
			    val_str(val_get(meta, "uid")), on_removed, NULL);
}

static void remove_jobs_of(struct clone *c, const val *revision)
{
	arena *a = c->s->arena;
	const val *containers = val_path(revision_template(revision), "spec", "containers", NULL);
	if (!val_path(revision, "metadata", "labels", LABEL_PREDOWNLOAD_CREATED, NULL) ||
	    !val_is_array(containers))
		return;
	for (size_t i = 0; i < val_len(containers); i++) {
		struct str container = val_str(val_get(val_at(containers, i), "name"));
		sync_get(c->s, &K8S_IMAGEPULLJOBS, c->s->ns,
			 str_of(predownload_job_name(a, revision, container)), on_found, c);
	}
}

void clone_predownload(struct clone *c)
{
	bool rolling = strcmp(c->current_name, c->update_name) != 0;
	const char *settled = c->notes->fetched;
	const char *now = rolling ? c->update_name : "";
	if (!c->spec.predownload || (settled && strcmp(settled, now) == 0))
		return;
	if (!rolling) {
		for (size_t i = 0; i < c->n_revisions; i++)
			remove_jobs_of(c, c->revisions[i]);
		clone_note(&c->notes->fetched, now);
		return;
	}
	struct inplace_spec change;
	const struct inplace_options options = clone_inplace_options(c);
	int32_t ready = 0;
	inplace_spec_from(c->s->arena, c->current, c->update, &options, &change);
	for (size_t i = 0; i < c->state.n; i++)
		ready += c->state.flags[i].updated && c->state.flags[i].ready;
	switch (predownload_decide(&c->object, &c->spec, c->update, &change, ready)) {
	case PREDOWNLOAD_LATER:
		return;
	case PREDOWNLOAD_DECIDED:
		break;
	case PREDOWNLOAD_IGNORE:
		label_revision(c, str_of(c->update_name), LABEL_PREDOWNLOAD_IGNORED);
		break;
	case PREDOWNLOAD_CREATE:
		create_jobs(c, &change);
		break;
	}
	clone_note(&c->notes->fetched, now);
}
