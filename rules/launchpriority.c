/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/launchpriority.h"

#include "rules/cloneset_scale.h"
#include "rules/conditions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BARRIER_SUFFIX "-barrier"
#define KEY_PREFIX "p_"
#define MAX_NAME 253 /* of a ConfigMap */
/* Of a name that is made from generateName; the random characters come behind it. */
#define MAX_GENERATED_BASE 58

/* A decimal integer as Go's strconv.Atoi takes it. */
static bool parse_int(struct str s, int64_t *out)
{
	char text[32], *end;

	if (!s.n || s.n >= sizeof(text))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	/* strtoll() would skip blanks */
	const char *digits = text + (*text == '-' || *text == '+');
	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && end == text + s.n;
}

static const char *key_of(arena *a, int64_t priority)
{
	return arena_printf(a, KEY_PREFIX "%" PRId64, priority);
}

char *launchpriority_barrier_name(arena *a, struct str pod_name)
{
	return arena_printf(a, "%.*s" BARRIER_SUFFIX, STR_ARG(pod_name));
}

/* ---- admission ---- */

/* The priority that a container's env asks for, 0 when it asks for none; of several the last
 * counts. */
static int64_t asked_priority(const val *container, const struct fpath *path,
			      struct field_errors *errors)
{
	const struct fpath env_path = fpath_child(path, "env");
	const val *env = val_get(container, "env");
	int64_t priority = 0;

	for (size_t i = 0; val_is_array(env) && i < val_len(env); i++) {
		const val *value = val_get(val_at(env, i), "value");

		if (!val_is(val_get(val_at(env, i), "name"), ENV_LAUNCH_PRIORITY))
			continue;
		if (parse_int(val_str(value), &priority))
			continue;
		const struct fpath item = fpath_index(&env_path, i);
		const struct fpath at = fpath_child(&item, "value");
		field_error_add(errors, FIELD_INVALID, &at, value,
				"must be an integer, since " ENV_LAUNCH_PRIORITY
				" is the container's launch priority");
	}
	return priority;
}

/* One priority for each container, or NULL when their order does not matter. */
static int64_t *priorities_of(arena *a, const val *pod, const val *containers,
			      struct field_errors *errors)
{
	const struct fpath spec = fpath_root("spec"), path = fpath_child(&spec, "containers");
	const val *mode = val_path(pod, "metadata", "annotations", ANNO_LAUNCH_PRIORITY, NULL);
	const bool ordered = val_is(mode, "Ordered");
	const size_t n = val_len(containers);
	int64_t *priorities = arena_alloc(a, n * sizeof(*priorities) + 1);
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const struct fpath at = fpath_index(&path, i);

		priorities[i] =
		    ordered ? -(int64_t)i : asked_priority(val_at(containers, i), &at, errors);
		differ |= priorities[i] != priorities[0];
	}
	return differ ? priorities : NULL;
}

/* The pod's name, made when there is none. Absent for a pod that can have no name. */
static struct str ensure_name(arena *a, val *pod, uint64_t random)
{
	val *meta = val_ensure_map(a, pod, "metadata");
	struct str name = val_str(val_get(meta, "name"));
	struct str base = val_str(val_get(meta, "generateName"));
	char id[CLONESET_ID_LEN + 1];

	if (name.n || !base.n)
		return name;
	if (base.n > MAX_GENERATED_BASE)
		base.n = MAX_GENERATED_BASE;
	cloneset_instance_id(random, id);
	name = str_of(arena_printf(a, "%.*s%s", STR_ARG(base), id));
	val_set(a, meta, "name", val_of_strn(name));
	return name;
}

static bool barrier_name_fits(struct str name, struct field_errors *errors)
{
	const struct fpath meta = fpath_root("metadata"), path = fpath_child(&meta, "name");
	const size_t most = MAX_NAME - strlen(BARRIER_SUFFIX);

	if (name.n <= most)
		return true;
	field_error_add(errors, FIELD_TOO_LONG, &path, NULL,
			"must have at most %zu bytes when containers have launch priorities", most);
	return false;
}

/* Replaces a variable of that name: a pod that is made from another pod's text has one. */
static void set_barrier(arena *a, val *container, const char *barrier, const char *key)
{
	val ref = val_map(), source = val_map(), item = val_map();
	val *env = val_get_mut(container, "env");

	val_set(a, &ref, "name", val_of_str(barrier));
	val_set(a, &ref, "key", val_of_str(key));
	val_set(a, &source, "configMapKeyRef", ref);
	val_set(a, &item, "name", val_of_str(ENV_LAUNCH_BARRIER));
	val_set(a, &item, "valueFrom", source);
	for (size_t i = 0; val_is_array(env) && i < val_len(env); i++) {
		if (val_is(val_get(val_at(env, i), "name"), ENV_LAUNCH_BARRIER)) {
			*val_at_mut(env, i) = item;
			return;
		}
	}
	if (!val_is_array(env)) {
		val_set(a, container, "env", val_array());
		env = val_get_mut(container, "env");
	}
	val_push(a, env, item);
}

void launchpriority_inject(arena *a, val *pod, uint64_t random, struct field_errors *errors)
{
	val *containers = val_path_mut(pod, "spec", "containers", NULL);
	const size_t errors_before = errors->n;

	if (!val_is_array(containers))
		return;
	const int64_t *priorities = priorities_of(a, pod, containers, errors);
	if (!priorities || errors->n != errors_before)
		return;
	const struct str name = ensure_name(a, pod, random);
	if (!name.n || !barrier_name_fits(name, errors))
		return;
	const char *barrier = launchpriority_barrier_name(a, name);
	for (size_t i = 0; i < val_len(containers); i++) {
		val *container = val_at_mut(containers, i);
		if (val_is_map(container))
			set_barrier(a, container, barrier, key_of(a, priorities[i]));
	}
}

/* ---- controller ---- */

/* The priority that a container was created with. */
static bool given_priority(const val *container, const char *barrier, int64_t *out)
{
	const val *env = val_get(container, "env");
	const val *item =
	    val_is_array(env) ? val_find(env, "name", str_of(ENV_LAUNCH_BARRIER)) : NULL;
	const val *ref = val_path(item, "valueFrom", "configMapKeyRef", NULL);
	struct str key = val_str(val_get(ref, "key"));

	if (!val_is(val_get(ref, "name"), barrier) || !str_has_prefix(key, KEY_PREFIX))
		return false;
	key.p += strlen(KEY_PREFIX);
	key.n -= strlen(KEY_PREFIX);
	return parse_int(key, out);
}

static bool finished(const val *pod)
{
	const val *phase = val_path(pod, "status", "phase", NULL);
	const val *completed =
	    val_path(pod, "metadata", "annotations", ANNO_LAUNCH_COMPLETED, NULL);

	return val_is(completed, "true") || val_is(phase, "Succeeded") || val_is(phase, "Failed") ||
	       !val_is_null(val_path(pod, "metadata", "deletionTimestamp", NULL)) ||
	       condition_status(condition_of(pod, "ContainersReady")) == COND_TRUE;
}

struct launch_plan launchpriority_plan(arena *a, const val *pod)
{
	struct launch_plan plan = {.over = true};
	const val *containers = val_path(pod, "spec", "containers", NULL);
	const val *statuses = val_path(pod, "status", "containerStatuses", NULL);
	const char *barrier =
	    launchpriority_barrier_name(a, val_str(val_path(pod, "metadata", "name", NULL)));
	int64_t highest = 0, lowest = 0;

	if (finished(pod) || !val_is_array(containers))
		return plan;
	for (size_t i = 0; i < val_len(containers); i++) {
		const val *container = val_at(containers, i);
		const val *status =
		    val_is_array(statuses)
			? val_find(statuses, "name", val_str(val_get(container, "name")))
			: NULL;
		int64_t p;

		if (val_bool(val_get(status, "ready")) || !given_priority(container, barrier, &p))
			continue;
		const bool held = val_is(val_path(status, "state", "waiting", "reason", NULL),
					 "CreateContainerConfigError");
		if (plan.over || p > highest) {
			highest = p;
			plan.held = held;
		} else if (p == highest) {
			plan.held |= held;
		}
		lowest = plan.over || p < lowest ? p : lowest;
		plan.over = false;
	}
	if (plan.over)
		return plan;
	plan.key = key_of(a, highest);
	plan.last = lowest == highest;
	return plan;
}

val launchpriority_barrier(arena *a, const val *pod, const char *key)
{
	const val *meta = val_get(pod, "metadata");
	val out = val_map(), owner = val_map(), owners = val_array();

	val_set(a, &owner, "apiVersion", val_of_str("v1"));
	val_set(a, &owner, "kind", val_of_str("Pod"));
	val_set(a, &owner, "name", val_of_strdup(a, val_str(val_get(meta, "name"))));
	val_set(a, &owner, "uid", val_of_strdup(a, pod_uid(pod)));
	val_push(a, &owners, owner);
	val_set(a, &out, "apiVersion", val_of_str("v1"));
	val_set(a, &out, "kind", val_of_str("ConfigMap"));
	val *out_meta = val_ensure_map(a, &out, "metadata");
	val_set(a, out_meta, "name",
		val_of_str(launchpriority_barrier_name(a, val_str(val_get(meta, "name")))));
	val_set(a, out_meta, "namespace", val_of_strdup(a, val_str(val_get(meta, "namespace"))));
	val_set(a, out_meta, "ownerReferences", owners);
	val_set(a, val_ensure_map(a, &out, "data"), key, val_of_str("true"));
	return out;
}

val launchpriority_key_patch(arena *a, struct str uid, const char *key)
{
	val out = val_map();

	val_set(a, val_ensure_map(a, &out, "metadata"), "uid", val_of_strdup(a, uid));
	val_set(a, val_ensure_map(a, &out, "data"), key, val_of_str("true"));
	return out;
}

bool launchpriority_has_key(const val *barrier, const char *key)
{
	return val_path(barrier, "data", key, NULL) != NULL;
}

bool launchpriority_is_predecessors(const val *barrier, const val *pod)
{
	const val *refs = val_path(barrier, "metadata", "ownerReferences", NULL);
	const struct str name = val_str(val_path(pod, "metadata", "name", NULL));
	bool other = false;

	for (size_t i = 0; val_is_array(refs) && i < val_len(refs); i++) {
		const val *ref = val_at(refs, i);

		if (!val_is(val_get(ref, "kind"), "Pod") ||
		    !str_eq(val_str(val_get(ref, "name")), name))
			continue;
		if (str_eq(val_str(val_get(ref, "uid")), pod_uid(pod)))
			return false;
		other = true;
	}
	return other;
}

val launchpriority_completed_patch(arena *a, const val *pod)
{
	val out = val_map();
	val *meta = val_ensure_map(a, &out, "metadata");

	val_set(a, meta, "uid", val_of_strdup(a, pod_uid(pod)));
	val_set(a, val_ensure_map(a, meta, "annotations"), ANNO_LAUNCH_COMPLETED,
		val_of_str("true"));
	return out;
}
