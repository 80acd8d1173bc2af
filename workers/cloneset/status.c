/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/selector.h"
#include "rules/cloneset_status.h"
#include "workers/cloneset/clone.h"

#include <string.h>

static struct str selector_text(struct clone *c)
{
	arena *a = c->s->arena;
	const struct selector *sel;
	_cleanup_buf_ struct buf b = {0};
	if (selector_compile(a, val_path(&c->object, "spec", "selector", NULL), &sel, NULL) < 0)
		return str_of("");
	selector_print(&b, sel);
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
	condition(c, &after, "FailedScale", c->notes->scale_error);
	condition(c, &after, "FailedUpdate", c->notes->update_error);
	if (!cloneset_status_changed(&before, &after))
		return;
	val patch = cloneset_status_patch(c->s->arena, &c->object, &after);
	sync_patch(c->s, c->kind, c->s->ns, c->s->name, "status", K8S_PATCH_MERGE, &patch,
		   on_written, c);
}
