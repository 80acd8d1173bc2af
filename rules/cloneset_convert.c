/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_convert.h"

#include "kube/json.h"

#include <errno.h>
#include <string.h>

/* ---- reading either version ---- */

bool cloneset_is_v1beta1(const val *cloneset)
{
	const val *version = val_get(cloneset, "apiVersion"), *spec = val_get(cloneset, "spec");

	if (val_is_str(version))
		return val_is(version, CLONESET_V1BETA1);
	return val_get(val_get(spec, "updateStrategy"), "rollingUpdate") ||
	       val_get(val_get(spec, "scaleStrategy"), "enablePVCReuse");
}

const val *cloneset_rolling(const val *cloneset)
{
	const val *update = val_path(cloneset, "spec", "updateStrategy", NULL);

	return cloneset_is_v1beta1(cloneset) ? val_get(update, "rollingUpdate") : update;
}

struct str cloneset_pod_policy(const val *cloneset)
{
	const char *field = cloneset_is_v1beta1(cloneset) ? "podUpdatePolicy" : "type";

	return val_str(val_get(cloneset_rolling(cloneset), field));
}

bool cloneset_on_delete(const val *cloneset)
{
	return val_is(val_path(cloneset, "spec", "updateStrategy", "type", NULL), "OnDelete");
}

bool cloneset_reuses_claims(const val *cloneset)
{
	const val *scale = val_path(cloneset, "spec", "scaleStrategy", NULL);

	return cloneset_is_v1beta1(cloneset) ? val_bool(val_get(scale, "enablePVCReuse"))
					     : !val_bool(val_get(scale, "disablePVCReuse"));
}

bool cloneset_excludes_preparing_delete(const val *cloneset)
{
	return val_bool(
		   val_path(cloneset, "spec", "scaleStrategy", "excludePreparingDelete", NULL)) ||
	       val_is(
		   val_path(cloneset, "metadata", "labels", LABEL_EXCLUDE_PREPARING_DELETE, NULL),
		   "true");
}

/* ---- the two parts that differ; a field of the other version's name means nothing ---- */

/* spec.scaleStrategy and spec.updateStrategy, as { scale, update }; absent ones are NULL. */
enum { SCALE, UPDATE, N_PARTS };
static const char *const part_names[N_PARTS] = {"scaleStrategy", "updateStrategy"};

struct parts {
	const val *v[N_PARTS];
};

static struct parts parts_of(const val *spec)
{
	struct parts p;

	for (size_t i = 0; i < N_PARTS; i++)
		p.v[i] = val_get(spec, part_names[i]);
	return p;
}

/* A shallow copy without two keys; never NULL. Maps come from outside and may be large. */
static val without(arena *a, const val *map, const char *key, const char *other)
{
	val out = val_map_sized(a, val_len(map));
	uint32_t n = 0;

	for (size_t i = 0; i < val_len(map); i++)
		if (!str_is(val_key(map, i), key) && !str_is(val_key(map, i), other))
			out.via.map.ptr[n++] = map->via.map.ptr[i];
	out.via.map.size = n;
	return out;
}

static const val *keep(arena *a, val v)
{
	val *p = arena_alloc(a, sizeof(*p));

	*p = v;
	return p;
}

static const val *scale_up(arena *a, const val *scale)
{
	val out = without(a, scale, "disablePVCReuse", "enablePVCReuse");

	val_set(a, &out, "enablePVCReuse",
		val_of_bool(!val_bool(val_get(scale, "disablePVCReuse"))));
	return keep(a, out);
}

static const val *scale_down(arena *a, const val *scale)
{
	val out = without(a, scale, "enablePVCReuse", "disablePVCReuse");

	if (!val_bool(val_get(scale, "enablePVCReuse")))
		val_set(a, &out, "disablePVCReuse", val_of_bool(true));
	return keep(a, out);
}

static const val *update_up(arena *a, const val *update)
{
	const val *type = val_get(update, "type");
	val out = val_map(), rolling = without(a, update, "type", "podUpdatePolicy");

	if (!val_is_map(update))
		return update;
	if (val_is(type, "OnDelete")) {
		val_set(a, &out, "type", *type);
	} else if (!val_is_null(type)) {
		val_set(a, &out, "type", val_of_str("RollingUpdate"));
		val_set(a, &rolling, "podUpdatePolicy", *type);
	}
	if (val_len(&rolling))
		val_set(a, &out, "rollingUpdate", rolling);
	return keep(a, out);
}

static const val *update_down(arena *a, const val *update)
{
	const val *type = val_get(update, "type"), *rolling = val_get(update, "rollingUpdate");
	const val *policy = val_get(rolling, "podUpdatePolicy");
	val out = without(a, rolling, "podUpdatePolicy", "type");

	if (!val_is_map(update))
		return update;
	if (val_is(type, "OnDelete"))
		val_set(a, &out, "type", *type);
	else if (!val_is_null(policy))
		val_set(a, &out, "type", *policy);
	else if (!val_is_null(type))
		val_set(a, &out, "type", val_of_str("ReCreate"));
	return keep(a, out);
}

static struct parts to_v1beta1(arena *a, struct parts p)
{
	return (struct parts){{scale_up(a, p.v[SCALE]), update_up(a, p.v[UPDATE])}};
}

static struct parts to_v1alpha1(arena *a, struct parts p)
{
	return (struct parts){{scale_down(a, p.v[SCALE]), update_down(a, p.v[UPDATE])}};
}

static struct parts map_parts(arena *a, bool beta, struct parts p)
{
	return beta ? to_v1beta1(a, p) : to_v1alpha1(a, p);
}

static int bad(struct err *e, const char *field, const char *what)
{
	return err_set(e, EINVAL, "%s: must be %s", field, what);
}

static bool map_or_null(const val *v)
{
	return val_is_null(v) || val_is_map(v);
}

static int check(struct parts p, bool beta, struct err *e)
{
	const val *scale = p.v[SCALE], *update = p.v[UPDATE];
	const val *rolling = beta ? val_get(update, "rollingUpdate") : NULL;
	const val *reuse = val_get(scale, beta ? "enablePVCReuse" : "disablePVCReuse");
	const val *type = val_get(update, "type"), *policy = val_get(rolling, "podUpdatePolicy");

	if (!map_or_null(scale))
		return bad(e, "spec.scaleStrategy", "an object");
	if (!map_or_null(update))
		return bad(e, "spec.updateStrategy", "an object");
	if (!map_or_null(rolling))
		return bad(e, "spec.updateStrategy.rollingUpdate", "an object");
	if (!val_is_null(type) && !val_is_str(type))
		return bad(e, "spec.updateStrategy.type", "a string");
	if (!val_is_null(policy) && !val_is_str(policy))
		return bad(e, "spec.updateStrategy.rollingUpdate.podUpdatePolicy", "a string");
	if (!val_is_null(reuse) && reuse->type != MSGPACK_OBJECT_BOOLEAN)
		return bad(e,
			   beta ? "spec.scaleStrategy.enablePVCReuse"
				: "spec.scaleStrategy.disablePVCReuse",
			   "true or false");
	return 0;
}

/* ---- what the other version cannot say ---- */

/* An absent field equals no other value than an absent one. */
static bool same(const val *x, const val *y)
{
	return x && y ? val_equal(x, y) : x == y;
}

/* What has not changed from base to now is as in original. */
static const val *merge(arena *a, const val *base, const val *now, const val *original)
{
	_cleanup_val_index_ struct val_index bases = {0}, nows = {0}, originals = {0};
	uint32_t n = 0;
	val out;

	if (same(base, now))
		return original;
	if (!val_is_map(now) || !val_is_map(original) || !val_is_map(base))
		return now;
	val_index_init(&bases, base);
	val_index_init(&nows, now);
	val_index_init(&originals, original);
	out = val_map_sized(a, val_len(original) + val_len(now));
	for (size_t i = 0; i < val_len(original); i++) {
		struct str key = val_key(original, i);
		const val *v = merge(a, val_index_get(&bases, key), val_index_get(&nows, key),
				     val_value(original, i));

		if (v)
			out.via.map.ptr[n++] = (msgpack_object_kv){val_of_strn(key), *v};
	}
	for (size_t i = 0; i < val_len(now); i++) {
		struct str key = val_key(now, i);

		if (!val_index_get(&originals, key) &&
		    !same(val_index_get(&bases, key), val_value(now, i)))
			out.via.map.ptr[n++] = now->via.map.ptr[i];
	}
	out.via.map.size = n;
	return keep(a, out);
}

/* The annotation's content, when it is of the version that is being converted to. */
static bool read_kept(arena *a, const val *metadata, const char *api_version, val *out)
{
	struct str text =
	    val_str(val_path(metadata, "annotations", ANNO_CLONESET_CONVERSION, NULL));

	return text.p && json_parse(a, text.p, text.n, out, NULL) == 0 &&
	       val_is(val_get(out, "apiVersion"), api_version);
}

/* The annotation was writable for everybody: what does not fit the version is not taken. */
static void restore(arena *a, const val *kept, bool beta, struct parts *now)
{
	struct parts restored = *now;

	for (size_t i = 0; i < N_PARTS; i++) {
		const val *original = val_get(kept, part_names[i]);
		struct parts p = {{0}};

		/* null stands for a part that was absent */
		if (!original)
			continue;
		p.v[i] = val_is_null(original) ? NULL : original;
		restored.v[i] =
		    merge(a, map_parts(a, beta, map_parts(a, !beta, p)).v[i], now->v[i], p.v[i]);
	}
	if (check(restored, beta, NULL) == 0)
		*now = restored;
}

/* What `now` does not lead back to; false when it leads back to everything. */
static bool to_keep(arena *a, bool beta, const char *api_version, struct parts before,
		    struct parts now, val *out)
{
	struct parts back = map_parts(a, !beta, now);
	bool any = false;

	*out = val_map();
	val_set(a, out, "apiVersion", val_of_str(api_version));
	for (size_t i = 0; i < N_PARTS; i++) {
		/* an absent part and an empty one say the same */
		bool empty = val_len(before.v[i]) == 0 && val_len(back.v[i]) == 0 &&
			     (!before.v[i] || val_is_map(before.v[i]));

		if (empty || same(back.v[i], before.v[i]))
			continue;
		val_set(a, out, part_names[i], before.v[i] ? *before.v[i] : val_null());
		any = true;
	}
	return any;
}

static int set_kept(arena *a, val *object, const val *kept, struct err *e)
{
	const val *metadata = val_get(object, "metadata");
	const val *annotations = val_get(metadata, "annotations");
	val m, n;

	if (!kept && !val_get(annotations, ANNO_CLONESET_CONVERSION))
		return 0;
	if (!val_is_map(metadata))
		return err_set(e, EINVAL, "metadata: must be an object");
	m = without(a, metadata, "annotations", "annotations");
	n = without(a, annotations, ANNO_CLONESET_CONVERSION, ANNO_CLONESET_CONVERSION);
	if (kept)
		val_set(a, &n, ANNO_CLONESET_CONVERSION,
			val_of_str(json_str(a, kept, JSON_SORTED)));
	if (val_len(&n))
		val_set(a, &m, "annotations", n);
	val_set(a, object, "metadata", m);
	return 0;
}

/* ---- the object ---- */

/* Replaces the value where it is, so that the order of fields stays; NULL takes it away. */
static void put(arena *a, val *map, const char *key, const val *v)
{
	val *place = val_get_mut(map, key);

	if (!v)
		val_del(map, key);
	else if (place)
		*place = *v;
	else
		val_set(a, map, key, *v);
}

static val shallow(arena *a, const val *map)
{
	val out = val_map_sized(a, val_len(map));

	if (val_len(map))
		memcpy(out.via.map.ptr, map->via.map.ptr, val_len(map) * sizeof(*out.via.map.ptr));
	return out;
}

int cloneset_convert(arena *a, const val *cloneset, const char *api_version, val *out,
		     struct err *e)
{
	bool beta = strcmp(api_version, CLONESET_V1BETA1) == 0;
	const val *version = val_get(cloneset, "apiVersion");
	const char *from = beta ? CLONESET_V1ALPHA1 : CLONESET_V1BETA1;
	struct parts before, now;
	val kept, spec, version_val;
	bool keeps;
	int r;

	if (!val_is_map(cloneset))
		return err_set(e, EINVAL, "must be an object");
	if (!beta && strcmp(api_version, CLONESET_V1ALPHA1) != 0)
		return err_set(e, EINVAL, "apiVersion: there is no CloneSet of %s", api_version);
	*out = shallow(a, cloneset);
	if (val_is(version, api_version))
		return 0;
	if (!val_is(version, from))
		return err_set(e, EINVAL, "apiVersion: must be %s or %s", CLONESET_V1ALPHA1,
			       CLONESET_V1BETA1);
	if (!map_or_null(val_get(cloneset, "spec")))
		return bad(e, "spec", "an object");
	r = check(parts_of(val_get(cloneset, "spec")), !beta, e);
	if (r < 0)
		return r;
	version_val = val_of_str(api_version);
	put(a, out, "apiVersion", &version_val);
	if (!val_is_map(val_get(cloneset, "spec")))
		return 0;

	spec = shallow(a, val_get(cloneset, "spec"));
	before = parts_of(&spec);
	now = map_parts(a, beta, before);
	if (read_kept(a, val_get(cloneset, "metadata"), api_version, &kept))
		restore(a, &kept, beta, &now);
	keeps = to_keep(a, beta, from, before, now, &kept);
	for (size_t i = 0; i < N_PARTS; i++)
		put(a, &spec, part_names[i], now.v[i]);
	put(a, out, "spec", &spec);
	return set_kept(a, out, keeps ? &kept : NULL, e);
}
