/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/selector.h"
#include "rules/cloneset_progress.h"
#include "workers/cloneset/clone.h"

#include <string.h>

static struct str selector_text(struct clone *c)
{
	arena *a = c->s->arena;
	_cleanup_buf_ struct buf b = {0};
	selector_print(&b, c->selector);
	return (struct str){arena_strndup(a, buf_str(&b), b.len), b.len};
}

static void condition(struct clone *c, struct cloneset_status *st, const char *type,
		      const char *error)
{
	arena *a = c->s->arena;
	if (error)
		cloneset_status_condition(a, st, type, true, "", error, c->now);
	else
		cloneset_status_condition_clear(a, st, type);
}

/* What a predecessor of this process has written is still so until this one knows better. */
static void adopt_errors(struct clone *c, const struct cloneset_status *st)
{
	arena *a = c->s->arena;
	if (c->notes->adopted)
		return;
	c->notes->adopted = true;
	const val *scale = val_find(st->conditions, "type", str_of("FailedScale"));
	const val *update = val_find(st->conditions, "type", str_of("FailedUpdate"));
	clone_note(&c->notes->scale_error, val_cstr(a, val_get(scale, "message")));
	clone_note(&c->notes->update_error, val_cstr(a, val_get(update, "message")));
}

static void on_written(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct clone *c = userdata;
	if (k8s_ok(r))
		clone_note(
		    &c->notes->self_rv,
		    val_cstr(s->arena, val_path(r->object, "metadata", "resourceVersion", NULL)));
	else if (!k8s_is_not_found(r) && !k8s_is_conflict(r))
		sync_fail_response(s, "cannot write the status", r);
}

void clone_write_status(struct clone *c)
{
	struct cloneset_status before = cloneset_status_of(&c->object);
	struct cloneset_status after = cloneset_status_make(&c->object, &c->spec, &c->state,
							    c->collision_count, selector_text(c));
	adopt_errors(c, &before);
	condition(c, &after, "FailedScale", c->notes->scale_error);
	condition(c, &after, "FailedUpdate", c->notes->update_error);
	int64_t again =
	    cloneset_progress(c->s->arena, &c->object, &c->spec, &before, &after, c->now);
	if (again > 0)
		sync_requeue_after(c->s, (uint64_t)again * 1000000);
	if (!cloneset_status_changed(&before, &after))
		return;
	val patch = cloneset_status_patch(c->s->arena, &c->object, &after);
	sync_patch(c->s, c->kind, c->s->ns, c->s->name, "status", K8S_PATCH_MERGE, &patch,
		   on_written, c);
}
