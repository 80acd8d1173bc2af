/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "kube/jsonpatch.h"

#include <errno.h>
#include <string.h>

/*
 * The document is changed in place, after one copy. "copy" copies what it takes, so that no two
 * places share memory; a budget keeps repeated copying of a growing document from going on for
 * ever.
 */
#define COPY_BUDGET ((size_t)64 << 20)

struct patcher {
	arena *arena;
	val doc;
	size_t copied; /* nodes and string bytes */
	struct err *e;
};

/* The next token of a JSON pointer, unescaped into the arena. False at the end, or when malformed.
 */
static bool next_token(arena *a, struct str *pointer, struct str *out)
{
	if (!pointer->n || *pointer->p != '/')
		return false;
	const char *s = pointer->p + 1;
	const char *end = memchr(s, '/', pointer->n - 1);
	size_t n = end ? (size_t)(end - s) : pointer->n - 1;
	char *token = arena_alloc(a, n + 1);
	size_t len = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] != '~') {
			token[len++] = s[i];
			continue;
		}
		if (++i == n || (s[i] != '0' && s[i] != '1'))
			return false;
		token[len++] = s[i] == '0' ? '~' : '/';
	}
	pointer->p += n + 1;
	pointer->n -= n + 1;
	*out = (struct str){token, len};
	return true;
}

/* RFC 6901's index: digits without a leading zero, at most `max`. */
static bool parse_index(struct str s, size_t max, size_t *out)
{
	size_t v = 0;
	if (!s.n || s.n > 10 || (s.n > 1 && s.p[0] == '0'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v * 10 + (size_t)(s.p[i] - '0');
	}
	*out = v;
	return v <= max;
}

static val *child(val *parent, struct str token)
{
	size_t i;
	if (val_is_map(parent))
		return (val *)(uintptr_t)val_getn(parent, token); /* of our own copy */
	if (val_is_array(parent) && val_len(parent) && parse_index(token, val_len(parent) - 1, &i))
		return val_at_mut(parent, i);
	return NULL;
}

static int no_path(struct patcher *p, struct str path, const char *why)
{
	return err_set(p->e, EINVAL, "path \"%.*s\" %s", (int)(path.n < 200 ? path.n : 200),
		       path.p ? path.p : "", why);
}

/* Finds what contains the path's target, and the last token. The document itself has no parent. */
static int find_parent(struct patcher *p, struct str path, val **parent, struct str *last)
{
	struct str rest = path;
	val *at = &p->doc;
	if (!next_token(p->arena, &rest, last))
		return no_path(p, path, "is malformed");
	while (rest.n) {
		at = child(at, *last);
		if (!at)
			return no_path(p, path, "does not exist");
		if (!next_token(p->arena, &rest, last))
			return no_path(p, path, "is malformed");
	}
	*parent = at;
	return 0;
}

static int find(struct patcher *p, struct str path, val **out)
{
	val *parent;
	struct str last;
	*out = &p->doc;
	if (path.n == 0)
		return 0;
	int r = find_parent(p, path, &parent, &last);
	if (r < 0)
		return r;
	*out = child(parent, last);
	return *out ? 0 : no_path(p, path, "does not exist");
}

static int insert(struct patcher *p, val *array, struct str token, struct str path, val v)
{
	size_t n = val_len(array), at = n;
	if (!str_is(token, "-") && !parse_index(token, n, &at))
		return no_path(p, path, "is no index of the array");
	val_push(p->arena, array, v);
	val *items = array->via.array.ptr;
	memmove(items + at + 1, items + at, (n - at) * sizeof(*items));
	items[at] = v;
	return 0;
}

static int add(struct patcher *p, struct str path, val v)
{
	val *parent;
	struct str last;
	if (path.n == 0) {
		p->doc = v;
		return 0;
	}
	int r = find_parent(p, path, &parent, &last);
	if (r < 0)
		return r;
	/* containers grow by copying */
	p->copied += val_len(parent) * sizeof(msgpack_object_kv);
	if (p->copied > COPY_BUDGET)
		return err_set(p->e, EINVAL, "the patch copies too much");
	if (val_is_array(parent))
		return insert(p, parent, last, path, v);
	if (!val_is_map(parent))
		return no_path(p, path, "does not lead into a map or an array");
	val_setn(p->arena, parent, last, v);
	return 0;
}

static void delete_key(val *map, const val *value)
{
	msgpack_object_kv *kv = map->via.map.ptr;
	uint32_t i = 0;
	while (&kv[i].val != value)
		i++;
	memmove(kv + i, kv + i + 1, (map->via.map.size - i - 1) * sizeof(*kv));
	map->via.map.size--;
}

/* Takes the target out of the document; it stays readable. */
static int take(struct patcher *p, struct str path, val *out)
{
	val *parent;
	struct str last;
	if (path.n == 0)
		return no_path(p, path, "is the whole document, which cannot be removed");
	int r = find_parent(p, path, &parent, &last);
	if (r < 0)
		return r;
	val *v = child(parent, last);
	if (!v)
		return no_path(p, path, "does not exist");
	*out = *v;
	if (val_is_map(parent))
		delete_key(parent, v);
	else
		val_remove_at(parent, (size_t)(v - parent->via.array.ptr));
	return 0;
}

static size_t weight(const val *v)
{
	size_t w = sizeof(*v);
	if (val_is_str(v))
		return w + v->via.str.size;
	for (size_t i = 0; i < val_len(v); i++) {
		const val *item = val_is_map(v) ? val_value(v, i) : val_at(v, i);
		w += weight(item) + (val_is_map(v) ? sizeof(val) + val_key(v, i).n : 0);
	}
	return w;
}

static size_t depth(const val *v)
{
	size_t deepest = 0;
	for (size_t i = 0; i < val_len(v); i++) {
		size_t d = depth(val_is_map(v) ? val_value(v, i) : val_at(v, i));
		deepest = d > deepest ? d : deepest;
	}
	return deepest + 1;
}

static int copy_of(struct patcher *p, const val *v, val *out)
{
	p->copied += weight(v);
	if (p->copied > COPY_BUDGET)
		return err_set(p->e, EINVAL, "the patch copies too much");
	*out = val_copy(p->arena, v);
	return 0;
}

static size_t count_tokens(struct str path)
{
	size_t n = 0;
	for (size_t i = 0; i < path.n; i++)
		n += path.p[i] == '/';
	return n;
}

static int put_copy(struct patcher *p, struct str path, const val *v)
{
	val own;
	if (count_tokens(path) + depth(v) > JSON_MAX_DEPTH)
		return no_path(p, path, "would nest too deeply");
	int r = copy_of(p, v, &own);
	return r < 0 ? r : add(p, path, own);
}

static int op_add(struct patcher *p, struct str path, struct str from, const val *value)
{
	(void)from;
	return put_copy(p, path, value);
}

static int op_remove(struct patcher *p, struct str path, struct str from, const val *value)
{
	(void)from;
	(void)value;
	val gone;
	return take(p, path, &gone);
}

static int op_replace(struct patcher *p, struct str path, struct str from, const val *value)
{
	(void)from;
	val *at, own;
	int r = find(p, path, &at);
	if (r == 0 && count_tokens(path) + depth(value) > JSON_MAX_DEPTH)
		return no_path(p, path, "would nest too deeply");
	if (r == 0)
		r = copy_of(p, value, &own);
	if (r == 0)
		*at = own;
	return r;
}

static int op_move(struct patcher *p, struct str path, struct str from, const val *value)
{
	(void)value;
	val v;
	if (path.n > from.n && memcmp(path.p, from.p, from.n) == 0 && path.p[from.n] == '/')
		return no_path(p, path, "is inside of what is to be moved");
	if (str_eq(path, from)) {
		val *at;
		return find(p, from, &at);
	}
	int r = take(p, from, &v);
	if (r == 0 && count_tokens(path) + depth(&v) > JSON_MAX_DEPTH)
		return no_path(p, path, "would nest too deeply");
	return r < 0 ? r : add(p, path, v);
}

static int op_copy(struct patcher *p, struct str path, struct str from, const val *value)
{
	(void)value;
	val *v;
	int r = find(p, from, &v);
	return r < 0 ? r : put_copy(p, path, v);
}

static int op_test(struct patcher *p, struct str path, struct str from, const val *value)
{
	(void)from;
	val *v;
	int r = find(p, path, &v);
	if (r < 0)
		return r;
	if (!val_equal(v, value))
		return err_set(p->e, EBADMSG, "the value at \"%.*s\" is another",
			       (int)(path.n < 200 ? path.n : 200), path.p);
	return 0;
}

static const struct operation {
	const char *name;
	bool value, from; /* members it must have */
	int (*run)(struct patcher *p, struct str path, struct str from, const val *value);
} operations[] = {
    {"add", true, false, op_add},	  {"remove", false, false, op_remove},
    {"replace", true, false, op_replace}, {"move", false, true, op_move},
    {"copy", false, true, op_copy},	  {"test", true, false, op_test},
};

static int apply_one(struct patcher *p, const val *op)
{
	const val *name = val_get(op, "op");
	const val *value = val_get(op, "value");
	struct str path = val_str(val_get(op, "path")), from = val_str(val_get(op, "from"));
	if (!val_is_map(op) || !val_is_str(name) || !path.p)
		return err_set(p->e, EINVAL, "op or path is missing");
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		const struct operation *o = &operations[i];
		if (!val_is(name, o->name))
			continue;
		if ((o->value && !value) || (o->from && !from.p))
			return err_set(p->e, EINVAL, "%s: %s is missing", o->name,
				       o->from ? "from" : "value");
		return o->run(p, path, from, value);
	}
	return err_set(p->e, EINVAL, "the operation is not known");
}

int jsonpatch_apply(arena *a, const val *doc, const val *patch, val *out, struct err *e)
{
	struct err mine = {0};
	struct patcher p = {.arena = a, .doc = val_copy(a, doc), .e = &mine};
	int r = 0;
	if (!val_is_array(patch))
		r = err_set(&mine, EINVAL, "a JSON patch is an array");
	else if (val_len(patch) > JSONPATCH_MAX_OPS)
		r = err_set(&mine, EINVAL, "more than %d operations", JSONPATCH_MAX_OPS);
	for (size_t i = 0; r == 0 && i < val_len(patch); i++) {
		r = apply_one(&p, val_at(patch, i));
		if (r < 0)
			err_wrap(&mine, "operation %zu", i);
	}
	if (r == 0)
		*out = p.doc;
	else if (e)
		*e = mine;
	return r;
}
