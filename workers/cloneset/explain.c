/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/time.h"
#include "rules/cloneset_status.h"
#include "workers/cloneset/clone.h"

/* Says in an event where the set stands, once for each change (B2). */

static const val *object(size_t pod, void *userdata)
{
	struct clone *c = userdata;
	return clone_pod_object(c, c->state.pods[pod]);
}

/* Since when the stored status has the error. A new one has just begun. */
static int64_t error_since(const struct clone *c, const struct cloneset_status *st,
			   const char *type)
{
	const val *condition = val_find(st->conditions, "type", str_of(type));
	return k8s_time_of(val_get(condition, "lastTransitionTime"), c->now);
}

static struct cloneset_explain facts(struct clone *c, const struct cloneset_status *st)
{
	const struct clone_notes *n = c->notes;
	const char *update_error = n->update_error ? n->update_error : c->last_update_error;
	return (struct cloneset_explain){
	    .spec = &c->spec,
	    .st = &c->state,
	    .c = &c->counts,
	    .scale = &c->scale_plan,
	    .update = c->update_planned ? &c->update_plan : NULL,
	    .scale_error = n->scale_error ? str_of(n->scale_error) : (struct str){0},
	    .update_error = update_error ? str_of(update_error) : (struct str){0},
	    .scale_error_since = error_since(c, st, "FailedScale"),
	    .update_error_since = error_since(c, st, "FailedUpdate"),
	    .object = object,
	    .userdata = c,
	};
}

void clone_explain(struct clone *c)
{
	const struct cloneset_status st = cloneset_status_of(&c->object);
	const struct cloneset_explain x = facts(c, &st);
	struct cloneset_verdict v = cloneset_verdict(&x);
	bool seen = st.observed_generation ==
		    val_int_or(val_path(&c->object, "metadata", "generation", NULL), -1);
	int64_t again = 0;
	if (cloneset_verdict_is_news(&c->notes->said, &x, &v, seen, &again)) {
		_cleanup_buf_ struct buf text = {0};
		cloneset_verdict_text(&text, &x, &v);
		clone_event(
		    c, cloneset_stand_is_warning(v.stand) ? K8S_EVENT_WARNING : K8S_EVENT_NORMAL,
		    cloneset_stand_name(v.stand), "%s", buf_str(&text));
	}
	if (again > 0)
		sync_requeue_after(c->s, (uint64_t)again * 1000000);
}
