/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/revision.h"

#include "kube/json.h"
#include "kube/ownerref.h"
#include "kube/time.h"
#include "rules/content.h"
#include "rules/podtemplate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FNV32_OFFSET UINT32_C(2166136261)
#define FNV32_PRIME UINT32_C(16777619)

/* FNV-1, not 1a: multiplies first. */
static uint32_t fnv32(uint32_t h, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h * FNV32_PRIME) ^ (unsigned char)p[i];
	return h;
}

void revision_hash(struct str data, int32_t collision_count, char out[static REVISION_HASH_LEN])
{
	static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
	char count[16];
	int n = snprintf(count, sizeof(count), "%" PRId32, collision_count);
	uint32_t h = fnv32(FNV32_OFFSET, data.p, data.n);

	h = fnv32(h, count, (size_t)n);
	snprintf(out, REVISION_HASH_LEN, "%" PRIu32, h);
	for (char *p = out; *p; p++)
		*p = alphabet[(unsigned char)*p % (sizeof(alphabet) - 1)];
}

void revision_name(struct str owner, const char *hash, char out[static REVISION_NAME_LEN])
{
	if (owner.n > REVISION_OWNER_MAX)
		owner.n = REVISION_OWNER_MAX;
	snprintf(out, REVISION_NAME_LEN, "%.*s-%.10s", STR_ARG(owner), hash);
}

struct str revision_short(struct str s)
{
	for (size_t i = s.n; i > 0; i--) {
		if (s.p[i - 1] == '-')
			return (struct str){s.p + i, s.n - i};
	}
	return s;
}

struct str revision_label(struct str name, bool short_hash)
{
	return short_hash || name.n > LABEL_VALUE_MAX ? revision_short(name) : name;
}

bool revision_matches(struct str label, struct str revision_name)
{
	if (label.n == 0 || revision_name.n == 0)
		return false;
	return str_eq(label, revision_name) ||
	       str_eq(revision_short(label), revision_short(revision_name));
}

static int by_key(const void *a, const void *b)
{
	return str_cmp(val_str(&((const msgpack_object_kv *)a)->key),
		       val_str(&((const msgpack_object_kv *)b)->key));
}

/* In place: v must own its maps. */
static void sort_keys(val *v)
{
	if (val_is_map(v) && val_len(v)) {
		qsort(v->via.map.ptr, v->via.map.size, sizeof(*v->via.map.ptr), by_key);
		for (uint32_t i = 0; i < v->via.map.size; i++)
			sort_keys(&v->via.map.ptr[i].val);
	} else if (val_is_array(v)) {
		for (uint32_t i = 0; i < v->via.array.size; i++)
			sort_keys(&v->via.array.ptr[i]);
	}
}

int revision_data(arena *a, const val *template, struct revision_data *out, struct err *e)
{
	_cleanup_buf_ struct buf b = {0};
	val canonical, copy, spec = val_map();
	int r = podtemplate_canonical(a, template, &canonical, e);

	if (r < 0)
		return r;
	copy = map_clone(a, &canonical);
	val_set(a, &copy, "$patch", val_of_str("replace"));
	val_set(a, &spec, "template", copy);
	val data = val_map();
	val_set(a, &data, "spec", spec);
	/* The API server keeps these bytes as they come, and refuses any change of them: they must
	 * be those that any other writer's encoder would produce. */
	out->data = val_copy(a, &data);
	sort_keys(&out->data);
	json_print(&b, &out->data, JSON_SORTED | JSON_GO_HTML);
	out->json = (struct str){arena_strndup(a, buf_str(&b), b.len), b.len};
	return 0;
}

const val *revision_template(const val *revision)
{
	const val *t = val_path(revision, "data", "spec", "template", NULL);

	return val_is_map(t) ? t : NULL;
}

bool revision_restore(arena *a, const val *revision, val *out)
{
	const val *t = revision_template(revision);

	if (!t)
		return false;
	*out = map_clone(a, t);
	val_del(out, "$patch");
	return true;
}

bool revision_equal(arena *a, const val *revision, const struct revision_data *data)
{
	const val *theirs = val_get(revision, "data");
	val template, canonical, ours;

	if (!revision_template(revision))
		return false;
	if (val_equal(theirs, &data->data))
		return true;
	/* more than a template would be lost by using it */
	if (val_len(theirs) != 1 || val_len(val_get(theirs, "spec")) != 1)
		return false;
	if (!revision_restore(a, revision, &template) ||
	    podtemplate_canonical(a, &template, &canonical, NULL) < 0)
		return false;
	ours = map_clone(a, val_path(&data->data, "spec", "template", NULL));
	val_del(&ours, "$patch");
	return val_equal(&canonical, &ours);
}

int64_t revision_number(const val *revision)
{
	return val_int_or(val_get(revision, "revision"), 0);
}

int revision_cmp(const val *a, const val *b)
{
	int64_t na = revision_number(a), nb = revision_number(b);
	int64_t ta, tb;

	if (na != nb)
		return na < nb ? -1 : 1;
	ta = k8s_time_of(val_path(a, "metadata", "creationTimestamp", NULL), 0);
	tb = k8s_time_of(val_path(b, "metadata", "creationTimestamp", NULL), 0);
	if (ta != tb)
		return ta < tb ? -1 : 1;
	return str_cmp(val_str(val_path(a, "metadata", "name", NULL)),
		       val_str(val_path(b, "metadata", "name", NULL)));
}

static int cmp_pointers(const void *a, const void *b)
{
	return revision_cmp(*(const val *const *)a, *(const val *const *)b);
}

void revision_sort(const val **revisions, size_t n)
{
	if (n > 1)
		qsort(revisions, n, sizeof(*revisions), cmp_pointers);
}

struct revision_decision revision_decide(arena *a, const val *const *revisions, size_t n,
					 const struct revision_data *data)
{
	struct revision_decision d = {.action = REVISION_CREATE, .number = 1};

	if (n > 0)
		d.number = revision_number(revisions[n - 1]) + 1;
	for (size_t i = n; i > 0; i--) {
		if (!revision_equal(a, revisions[i - 1], data))
			continue;
		d.index = i - 1;
		d.action = i == n ? REVISION_USE : REVISION_RENUMBER;
		break;
	}
	return d;
}

val revision_new(arena *a, const struct k8s_resource *kind, const val *owner,
		 const struct revision_data *data, int64_t number, int32_t collision_count)
{
	const val *meta = val_get(owner, "metadata");
	const val *annotations = val_get(meta, "annotations");
	char hash[REVISION_HASH_LEN], name[REVISION_NAME_LEN];
	val object = val_map(), m = val_map(), refs = val_array(), labels;

	revision_hash(data->json, collision_count, hash);
	revision_name(val_str(val_get(meta, "name")), hash, name);
	labels =
	    map_clone(a, val_path(&data->data, "spec", "template", "metadata", "labels", NULL));
	val_set(a, &labels, LABEL_CONTROLLER_HASH, val_of_strdup(a, str_of(hash)));
	val_push(a, &refs, ownerref_make(a, kind, owner, true));

	val_set(a, &m, "name", val_of_strdup(a, str_of(name)));
	if (val_is_str(val_get(meta, "namespace")))
		val_set(a, &m, "namespace", *val_get(meta, "namespace"));
	val_set(a, &m, "labels", labels);
	if (val_len(annotations))
		val_set(a, &m, "annotations", *annotations);
	val_set(a, &m, "ownerReferences", refs);

	val_set(a, &object, "apiVersion", val_of_str("apps/v1"));
	val_set(a, &object, "kind", val_of_str("ControllerRevision"));
	val_set(a, &object, "metadata", m);
	val_set(a, &object, "data", data->data);
	val_set(a, &object, "revision", val_of_int(number));
	return object;
}

val revision_renumber_patch(arena *a, int64_t number, struct str resource_version)
{
	val patch = val_map();

	if (resource_version.n)
		val_set(a, val_ensure_map(a, &patch, "metadata"), "resourceVersion",
			val_of_strn(resource_version));
	val_set(a, &patch, "revision", val_of_int(number));
	return patch;
}

size_t revision_trim(const bool *live, size_t n, int64_t limit, uint32_t *out)
{
	size_t dead = 0, excess, k = 0;

	for (size_t i = 0; i < n; i++)
		dead += !live[i];
	if (limit < 0)
		limit = 0;
	excess = dead > (size_t)limit ? dead - (size_t)limit : 0;
	for (size_t i = 0; i < n && k < excess; i++) {
		if (!live[i])
			out[k++] = (uint32_t)i;
	}
	return k;
}
