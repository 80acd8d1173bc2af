/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/podreadiness.h"

#include "kube/json.h"
#include "kube/ownerref.h"
#include "rules/conditions.h"

#include <stdlib.h>

const struct readiness_key READINESS_PRE_DELETE = {"Lifecycle", "preDeleteHook"};
const struct readiness_key READINESS_PRE_UPDATE = {"Lifecycle", "preUpdateHook"};

struct entry {
	struct str agent, key;
};

static int cmp_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int c = str_cmp(a->agent, b->agent);

	return c ? c : str_cmp(a->key, b->key);
}

/* The list in the condition's message, without `but`; room for one more. */
static struct entry *read_entries(arena *a, const val *condition, struct readiness_key but,
				  size_t *n, bool *had)
{
	struct str text = val_str(val_get(condition, "message"));
	struct entry *entries;
	val list = val_array();

	*n = 0;
	*had = false;
	if (!text.n || json_parse(a, text.p, text.n, &list, NULL) < 0 || !val_is_array(&list))
		list = val_array();
	entries = arena_alloc(a, (val_len(&list) + 1) * sizeof(*entries));
	for (size_t i = 0; i < val_len(&list); i++) {
		const val *v = val_at(&list, i);
		struct entry x = {val_str(val_get(v, "userAgent")), val_str(val_get(v, "key"))};

		if (!x.agent.p || !x.key.p)
			continue;
		if (str_is(x.agent, but.user_agent) && str_is(x.key, but.key))
			*had = true;
		else
			entries[(*n)++] = x;
	}
	return entries;
}

static struct str print_entries(arena *a, struct entry *entries, size_t n)
{
	val list = val_array();
	const char *text;

	qsort(entries, n, sizeof(*entries), cmp_entries);
	for (size_t i = 0; i < n; i++) {
		val v = val_map();

		val_set(a, &v, "userAgent", val_of_strn(entries[i].agent));
		val_set(a, &v, "key", val_of_strn(entries[i].key));
		val_push(a, &list, v);
	}
	text = json_str(a, &list, JSON_GO_HTML);
	return str_of(text);
}

static val make_patch(arena *a, const val *pod, bool on, struct str message, int64_t now)
{
	const struct condition c = {.type = GATE_POD_READY, .on = on, .message = message};
	val conditions = val_array();

	condition_push(a, &conditions, pod, &c, now);
	if (!on)
		condition_push_ready_false(a, &conditions, pod, GATE_POD_READY, now);
	return condition_patch(a, pod_uid(pod), pod_resource_version(pod), conditions);
}

void podreadiness_inject(arena *a, val *pod, bool every)
{
	const val *controller = ownerref_controller(pod);
	val *spec = val_get_mut(pod, "spec");
	val gate = val_map();

	if (!every &&
	    !str_has_prefix(val_str(val_get(controller, "apiVersion")), "apps.kruise.io/"))
		return;
	if (!val_is_map(spec) || readiness_gate_has(pod, GATE_POD_READY))
		return;
	val_set(a, &gate, "conditionType", val_of_str(GATE_POD_READY));
	if (!val_is_array(val_get(spec, "readinessGates")))
		val_set(a, spec, "readinessGates", val_array());
	val_push(a, val_get_mut(spec, "readinessGates"), gate);
}

bool podreadiness_needs_init(const val *pod)
{
	return readiness_gate_has(pod, GATE_POD_READY) && !condition_of(pod, GATE_POD_READY);
}

val podreadiness_init_patch(arena *a, const val *pod, int64_t now)
{
	return make_patch(a, pod, true, (struct str){0}, now);
}

bool podreadiness_add(arena *a, const val *pod, struct readiness_key k, int64_t now, val *patch)
{
	const val *condition = condition_of(pod, GATE_POD_READY);
	struct entry *entries;
	size_t n;
	bool had;

	if (!readiness_gate_has(pod, GATE_POD_READY))
		return false;
	entries = read_entries(a, condition, k, &n, &had);
	if (had && condition_status(condition) == COND_FALSE)
		return false;
	entries[n++] = (struct entry){str_of(k.user_agent), str_of(k.key)};
	*patch = make_patch(a, pod, false, print_entries(a, entries, n), now);
	return true;
}

bool podreadiness_remove(arena *a, const val *pod, struct readiness_key k, int64_t now, val *patch)
{
	const val *condition = condition_of(pod, GATE_POD_READY);
	struct entry *entries;
	size_t n;
	bool had;

	if (!readiness_gate_has(pod, GATE_POD_READY))
		return false;
	entries = read_entries(a, condition, k, &n, &had);
	if (!had)
		return false;
	*patch = make_patch(a, pod, n == 0, print_entries(a, entries, n), now);
	return true;
}

struct readiness_change podreadiness_of_state(enum lifecycle_state to, const val *lifecycle)
{
	struct readiness_change change = {NULL, NULL};

	switch (to) {
	case LIFECYCLE_PREPARING_DELETE:
		if (lifecycle_mark_not_ready(lifecycle_hook(lifecycle, "preDelete")))
			change.add = &READINESS_PRE_DELETE;
		break;
	case LIFECYCLE_PREPARING_UPDATE:
		if (lifecycle_mark_not_ready(lifecycle_hook(lifecycle, "inPlaceUpdate")))
			change.add = &READINESS_PRE_UPDATE;
		break;
	case LIFECYCLE_UPDATED:
	case LIFECYCLE_NORMAL:
		/* whatever the hook says by now */
		change.remove = &READINESS_PRE_UPDATE;
		break;
	case LIFECYCLE_PREPARING_NORMAL:
		change.remove = &READINESS_PRE_DELETE;
		break;
	default:
		break;
	}
	return change;
}

bool podreadiness_change_patch(arena *a, const val *pod, struct readiness_change change,
			       int64_t now, val *patch)
{
	if (change.add)
		return podreadiness_add(a, pod, *change.add, now, patch);
	return change.remove && podreadiness_remove(a, pod, *change.remove, now, patch);
}
