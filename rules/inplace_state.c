/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace_state.h"

#include "kube/json.h"
#include "rules/conditions.h"

#include <stdio.h>

enum shape { TEXT, MAP, LIST, BOOL, MAPS, TEXTS };

/* The fields in the order in which Go writes them. */
static const struct field {
	const char *name;
	enum shape shape;
	bool sorted; /* a Go map, whose keys are written in order */
} fields[] = {
    {"revision", TEXT, false},
    {"updateTimestamp", TEXT, false},
    {"lastContainerStatuses", MAPS, true},
    {"updateEnvFromMetadata", BOOL, false},
    {"updateImages", BOOL, false},
    {"updateResources", BOOL, false},
    {"nextContainerImages", TEXTS, true},
    {"nextContainerRefMetadata", MAPS, false},
    {"nextContainerResources", MAPS, false},
    {"preCheckBeforeNext", MAP, false},
    {"containerBatchesRecord", LIST, false},
};
#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static bool values_are(const val *map, bool (*is)(const val *))
{
	for (size_t i = 0; i < val_len(map); i++) {
		if (!is(val_value(map, i)))
			return false;
	}
	return true;
}

static bool has_shape(const val *v, enum shape shape)
{
	switch (shape) {
	case TEXT:
		return val_is_str(v);
	case BOOL:
		return v->type == MSGPACK_OBJECT_BOOLEAN;
	case MAP:
		return val_is_map(v);
	case LIST:
		return val_is_array(v);
	case MAPS:
		return val_is_map(v) && values_are(v, val_is_map);
	case TEXTS:
		return val_is_map(v) && values_are(v, val_is_str);
	}
	return false;
}

enum inplace_state_found inplace_state_read(arena *a, const val *pod, val *out)
{
	const val *annotations = val_path(pod, "metadata", "annotations", NULL);
	const val *text = val_get(annotations, ANNO_INPLACE_STATE);
	struct str s;

	if (!text)
		text = val_get(annotations, ANNO_INPLACE_STATE_OLD);
	if (!text)
		return INPLACE_STATE_ABSENT;
	s = val_str(text);
	if (!s.p || json_parse(a, s.p, s.n, out, NULL) < 0 || !val_is_map(out))
		return INPLACE_STATE_BROKEN;
	for (size_t i = 0; i < N_FIELDS; i++) {
		const val *v = val_get(out, fields[i].name);

		if (!val_is_null(v) && !has_shape(v, fields[i].shape))
			return INPLACE_STATE_BROKEN;
	}
	return INPLACE_STATE_OK;
}

static bool is_known(struct str key)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (str_is(key, fields[i].name))
			return true;
	}
	return false;
}

static void print_field(struct buf *b, const char *name, const val *v, unsigned flags)
{
	val key = val_of_str(name);

	buf_putc(b, b->len > 1 ? ',' : '{');
	json_print(b, &key, 0);
	buf_putc(b, ':');
	json_print(b, v, flags | JSON_GO_HTML);
}

static struct str print_state(arena *a, const val *state)
{
	_cleanup_buf_ struct buf b = {0};

	for (size_t i = 0; i < N_FIELDS; i++) {
		const val *v = val_get(state, fields[i].name);

		if (v)
			print_field(&b, fields[i].name, v, fields[i].sorted ? JSON_SORTED : 0);
	}
	for (size_t i = 0; i < val_len(state); i++) {
		struct str key = val_key(state, i);

		if (!is_known(key))
			print_field(&b, arena_strndup(a, key.p, key.n), val_value(state, i), 0);
	}
	buf_puts(&b, b.len ? "}" : "{}");
	return (struct str){arena_strndup(a, b.p, b.len), b.len};
}

void inplace_state_write(arena *a, const val *pod, const val *state, val *patch)
{
	val *meta = val_ensure_map(a, patch, "metadata");
	val *annotations = val_ensure_map(a, meta, "annotations");

	val_set(a, annotations, ANNO_INPLACE_STATE, val_of_strn(print_state(a, state)));
	if (val_path(pod, "metadata", "annotations", ANNO_INPLACE_STATE_OLD, NULL))
		val_set(a, annotations, ANNO_INPLACE_STATE_OLD, val_null());
}

bool inplace_state_has_next(const val *state)
{
	return val_len(val_get(state, "nextContainerImages")) ||
	       val_len(val_get(state, "nextContainerRefMetadata")) ||
	       val_len(val_get(state, "nextContainerResources"));
}

/* An image without tag and digest is :latest. */
static bool same_image(struct str a, struct str b)
{
	struct str longer = a.n > b.n ? a : b, shorter = a.n > b.n ? b : a;
	const char latest[] = ":latest";

	if (str_eq(a, b))
		return true;
	if (shorter.n == 0 || longer.n != shorter.n + sizeof(latest) - 1 ||
	    !str_eq((struct str){longer.p, shorter.n}, shorter) ||
	    !str_is((struct str){longer.p + shorter.n, sizeof(latest) - 1}, latest))
		return false;
	for (size_t i = shorter.n; i > 0 && shorter.p[i - 1] != '/'; i--) {
		if (shorter.p[i - 1] == ':' || shorter.p[i - 1] == '@')
			return false;
	}
	return true;
}

bool inplace_container_done(const val *pod, struct str container, struct str recorded, char *why,
			    size_t cap)
{
	const val *status =
	    val_find(val_path(pod, "status", "containerStatuses", NULL), "name", container);
	const val *spec = val_find(val_path(pod, "spec", "containers", NULL), "name", container);
	struct str id = val_str(val_get(status, "imageID"));
	struct str want = val_str(val_get(spec, "image"));

	/* an empty imageID says that nothing has run yet */
	if (id.n && !str_eq(id, recorded))
		return true;
	if (id.n && same_image(val_str(val_get(status, "image")), want))
		return true;
	if (why)
		snprintf(why, cap, "container %.*s does not run image %.*s yet", STR_ARG(container),
			 STR_ARG(want));
	return false;
}

void inplace_precondition(arena *a, const val *pod, val *patch)
{
	val *meta = val_ensure_map(a, patch, "metadata");

	if (pod_uid(pod).n)
		val_set(a, meta, "uid", val_of_strn(pod_uid(pod)));
	if (pod_resource_version(pod).n)
		val_set(a, meta, "resourceVersion", val_of_strn(pod_resource_version(pod)));
}
