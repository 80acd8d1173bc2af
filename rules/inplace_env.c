/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace_env.h"

#include "kube/json.h"
#include "rules/gohash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits "metadata.labels['KEY']". False for an entry that reads no label and no annotation, and
 * for those that SidecarSets use for their own versions. */
static bool split_source(const val *env, const char **kind, struct str *key)
{
	static const struct {
		const char *prefix, *kind;
	} sources[] = {{"metadata.labels['", "labels"}, {"metadata.annotations['", "annotations"}};
	const val *name = val_get(env, "name");
	struct str path = val_str(val_path(env, "valueFrom", "fieldRef", "fieldPath", NULL));

	if (val_str(val_get(env, "value")).n || val_is(name, "SIDECARSET_VERSION") ||
	    val_is(name, "SIDECARSET_VERSION_ALT"))
		return false;
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(sources[i].prefix);

		if (!str_has_prefix(path, sources[i].prefix) || path.n < n + 2 ||
		    path.p[path.n - 2] != '\'' || path.p[path.n - 1] != ']')
			continue;
		*kind = sources[i].kind;
		*key = (struct str){path.p + n, path.n - n - 2};
		return true;
	}
	return false;
}

bool inplace_env_reads(const val *container, const char *kind, struct str key)
{
	const val *env = val_get(container, "env");

	for (size_t i = 0; val_is_array(env) && i < val_len(env); i++) {
		const char *of;
		struct str k;

		if (split_source(val_at(env, i), &of, &k) && strcmp(of, kind) == 0 &&
		    str_eq(k, key))
			return true;
	}
	return false;
}

struct entry {
	struct str name, value;
	size_t place;
};

/* By name; of two with the same name the first comes first. */
static int by_name(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int c = str_cmp(a->name, b->name);

	return c ? c : (a->place > b->place) - (a->place < b->place);
}

static size_t read_entries(const val *env, const val *pod, struct entry *out)
{
	size_t n = 0;

	for (size_t i = 0; i < val_len(env); i++) {
		const char *kind;
		struct str key;

		if (!split_source(val_at(env, i), &kind, &key))
			continue;
		out[n] = (struct entry){
		    .name = val_str(val_get(val_at(env, i), "name")),
		    .value = val_str(val_getn(val_path(pod, "metadata", kind, NULL), key)),
		    .place = n,
		};
		n++;
	}
	qsort(out, n, sizeof(*out), by_name);
	return n;
}

uint32_t inplace_env_hash(const val *container, const val *pod)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf b = {0};
	const val *env = val_get(container, "env");
	struct entry *entries;
	val list = val_array();
	size_t n;

	if (!val_is_array(env))
		return gohash_json(str_of("null"));
	entries = arena_alloc(a, (val_len(env) + 1) * sizeof(*entries));
	n = read_entries(env, pod, entries);
	if (n == 0)
		return gohash_json(str_of("null"));
	for (size_t i = 0; i < n; i++) {
		val v = val_map();

		val_set(a, &v, "name",
			val_of_strn(entries[i].name.p ? entries[i].name : str_of("")));
		if (entries[i].value.n)
			val_set(a, &v, "value", val_of_strn(entries[i].value));
		val_push(a, &list, v);
	}
	json_print(&b, &list, JSON_GO_HTML);
	return gohash_json((struct str){buf_str(&b), b.len});
}

/* Why a container does not count as up to date, or NULL. */
static const char *outdated(const val *container, const val *pod, const val *runtime)
{
	const val *name = val_get(container, "name");
	const val *statuses = val_path(pod, "status", "containerStatuses", NULL);
	const val *status = val_find(statuses, "name", val_str(name));
	const val *meta = val_find(runtime, "name", val_str(name));
	struct str id = val_str(val_get(status, "containerID"));
	int64_t hash;

	if (!id.n)
		return "has not started";
	if (!meta || !str_eq(val_str(val_get(meta, "containerID")), id))
		return "is not known to the node agent yet";
	if (!val_int(val_path(meta, "hashes", "extractedEnvFromMetadataHash", NULL), &hash))
		hash = 0;
	return hash == inplace_env_hash(container, pod)
		   ? NULL
		   : "must be restarted by the node agent, to see new labels or annotations";
}

bool inplace_env_seen(const val *pod, char *why, size_t cap)
{
	_cleanup_arena_ arena *a = arena_new();
	const val *containers = val_path(pod, "spec", "containers", NULL);
	struct str text =
	    val_str(val_path(pod, "metadata", "annotations", ANNO_RUNTIME_CONTAINERS, NULL));
	const val *runtime;
	val set;

	if (!text.n) {
		if (why)
			snprintf(why, cap,
				 "the node agent has not said what the containers run with "
				 "(annotation " ANNO_RUNTIME_CONTAINERS ")");
		return false;
	}
	if (json_parse(a, text.p, text.n, &set, NULL) < 0) {
		if (why)
			snprintf(why, cap, "annotation " ANNO_RUNTIME_CONTAINERS " is not valid");
		return false;
	}
	runtime = val_get(&set, "containers");
	for (size_t i = 0; val_is_array(containers) && i < val_len(containers); i++) {
		const val *c = val_at(containers, i);
		const char *what = outdated(c, pod, val_is_array(runtime) ? runtime : NULL);

		if (!what)
			continue;
		if (why)
			snprintf(why, cap, "container %.*s %s",
				 STR_ARG(val_str(val_get(c, "name"))), what);
		return false;
	}
	return true;
}
