/* SPDX-License-Identifier: Apache-2.0 */
#include "watcher/change.h"

#include "ipc/mp.h"

#include <string.h>

#define MAX_FIELDS 48

struct field {
	struct str key;
	const uint8_t *p; /* the packed value */
	size_t n;
};

struct fields {
	struct field f[MAX_FIELDS];
	size_t n;
	bool odd; /* no map, or too many fields to remember */
};

static void read_fields(const void *p, size_t n, struct fields *out)
{
	out->n = 0;
	struct mp m = mp_open(p, n);
	uint32_t pairs = mp_map(&m);
	out->odd = m.bad || pairs > MAX_FIELDS;
	for (uint32_t i = 0; i < pairs && !out->odd; i++) {
		struct field *f = &out->f[out->n];
		f->key = mp_str(&m);
		f->p = m.p;
		mp_skip(&m);
		f->n = (size_t)(m.p - f->p);
		out->odd = m.bad;
		out->n++;
	}
}

static const struct field *find(const struct fields *fields, struct str key)
{
	for (size_t i = 0; i < fields->n; i++)
		if (str_eq(fields->f[i].key, key))
			return &fields->f[i];
	return NULL;
}

static const struct field *find_name(const struct fields *fields, const char *key)
{
	return find(fields, str_of(key));
}

struct meaning {
	const char *key;
	uint32_t mask;
};

static const struct meaning top_meanings[] = {
    {"status", DELTA_STATUS}, {"metadata", 0}, {"apiVersion", 0}, {"kind", 0}, {NULL, DELTA_SPEC}};

static const struct meaning metadata_meanings[] = {
    {"labels", DELTA_LABELS},
    {"annotations", DELTA_ANNOTATIONS},
    {"finalizers", DELTA_FINALIZERS},
    {"deletionTimestamp", DELTA_DELETION},
    {"ownerReferences", DELTA_OWNER},
    {"generation", DELTA_GENERATION},
    {"resourceVersion", 0},
    {"managedFields", 0},
    {NULL, DELTA_OTHER},
};

static uint32_t meaning_of(const struct meaning *table, struct str key)
{
	while (table->key && !str_is(key, table->key))
		table++;
	return table->mask;
}

/* What fields of `a` are different or absent in `b`; the other way round only absence is left to
 * see. */
static uint32_t differences(const struct fields *a, const struct fields *b,
			    const struct meaning *meanings, bool absence_only)
{
	uint32_t mask = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct field *x = &a->f[i];
		const struct field *y =
		    i < b->n && str_eq(b->f[i].key, x->key) ? &b->f[i] : find(b, x->key);
		if (y && (absence_only || (x->n == y->n && memcmp(x->p, y->p, x->n) == 0)))
			continue;
		mask |= meaning_of(meanings, x->key);
	}
	return mask;
}

static uint32_t compare(const struct fields *old, const struct fields *now,
			const struct meaning *meanings)
{
	return differences(old, now, meanings, false) | differences(now, old, meanings, true);
}

static void read_metadata(const struct fields *top, struct fields *out)
{
	const struct field *metadata = find_name(top, "metadata");
	read_fields(metadata ? metadata->p : (const void *)"\x80", metadata ? metadata->n : 1, out);
}

uint32_t change_mask(const void *old, size_t old_len, const void *now, size_t now_len)
{
	struct fields a, b, a_meta, b_meta;
	read_fields(old, old_len, &a);
	read_fields(now, now_len, &b);
	if (a.odd || b.odd)
		return UINT32_MAX;
	read_metadata(&a, &a_meta);
	read_metadata(&b, &b_meta);
	if (a_meta.odd || b_meta.odd)
		return UINT32_MAX;
	uint32_t mask =
	    compare(&a, &b, top_meanings) | compare(&a_meta, &b_meta, metadata_meanings);
	return mask ? mask : DELTA_OTHER;
}

/* One owner reference; true when it is the controller's. */
static bool read_ref(struct mp *m, struct delta_owner *out)
{
	const struct {
		const char *key;
		struct str *to;
	} strings[] = {{"apiVersion", &out->api_version},
		       {"kind", &out->kind},
		       {"name", &out->name},
		       {"uid", &out->uid}};
	bool controller = false;
	*out = (struct delta_owner){0};
	uint32_t pairs = mp_map(m);
	for (uint32_t i = 0; i < pairs && !m->bad; i++) {
		struct str key = mp_str(m);
		struct mp value = *m;
		mp_skip(m);
		if (str_is(key, "controller")) {
			controller = mp_bool(&value) && !value.bad;
			continue;
		}
		for (size_t k = 0; k < sizeof(strings) / sizeof(strings[0]); k++) {
			if (!str_is(key, strings[k].key))
				continue;
			struct str s = mp_str(&value);
			if (!value.bad)
				*strings[k].to = s;
		}
	}
	return controller && !m->bad && out->uid.n > 0;
}

void change_view(const void *object, size_t len, struct change_view *out)
{
	*out = (struct change_view){0};
	struct fields top, metadata;
	read_fields(object, len, &top);
	if (top.odd)
		return;
	read_metadata(&top, &metadata);
	out->terminating = find_name(&metadata, "deletionTimestamp") != NULL;
	const struct field *refs = find_name(&metadata, "ownerReferences");
	if (!refs)
		return;
	struct mp m = mp_open(refs->p, refs->n);
	uint32_t n = mp_array(&m);
	for (uint32_t i = 0; i < n && !m.bad; i++) {
		struct delta_owner owner;
		if (read_ref(&m, &owner)) {
			out->owner = owner;
			return;
		}
	}
}
