/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/content.h"

#include <stdio.h>
#include <string.h>

static void path_add(struct content_path *p, const char *text, size_t n)
{
	size_t room = sizeof(p->text) - 1 - p->len;

	if (n > room)
		n = room;
	memcpy(p->text + p->len, text, n);
	p->len += n;
	p->text[p->len] = '\0';
}

void content_path_key(struct content_path *p, struct str key)
{
	if (!p)
		return;
	if (p->len)
		path_add(p, ".", 1);
	path_add(p, key.p, key.n);
}

void content_path_index(struct content_path *p, size_t i)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "[%zu]", i);

	if (p)
		path_add(p, text, (size_t)n);
}

void content_path_cut(struct content_path *p, size_t len)
{
	if (!p)
		return;
	p->len = len;
	p->text[len] = '\0';
}

bool content_is_empty(struct str key, const val *v)
{
	static const char *const optional[] = {"resources", "labels",	    "annotations", "limits",
					       "requests",  "nodeSelector", "matchLabels"};

	if (val_is_null(v))
		return true;
	if (val_is_array(v))
		return val_len(v) == 0;
	if (!val_is_map(v) || val_len(v) > 0)
		return false;
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
		if (str_is(key, optional[i]))
			return true;
	}
	return false;
}

static bool maps_equal(const val *a, const val *b, struct content_path *path)
{
	size_t len = path ? path->len : 0;

	for (size_t i = 0; i < val_len(a); i++) {
		struct str key = val_key(a, i);

		content_path_key(path, key);
		if (!content_equal(key, val_value(a, i), val_getn(b, key), path))
			return false;
		content_path_cut(path, len);
	}
	for (size_t i = 0; i < val_len(b); i++) {
		struct str key = val_key(b, i);

		if (val_getn(a, key) || content_is_empty(key, val_value(b, i)))
			continue;
		content_path_key(path, key);
		return false;
	}
	return true;
}

bool content_equal(struct str key, const val *a, const val *b, struct content_path *path)
{
	size_t len = path ? path->len : 0;

	if (content_is_empty(key, a) || content_is_empty(key, b))
		return content_is_empty(key, a) && content_is_empty(key, b);
	if (val_is_map(a) && val_is_map(b))
		return maps_equal(a, b, path);
	if (!val_is_array(a) || !val_is_array(b))
		return val_equal(a, b);
	if (val_len(a) != val_len(b))
		return false;
	for (size_t i = 0; i < val_len(a); i++) {
		content_path_index(path, i);
		if (!content_equal((struct str){0}, val_at(a, i), val_at(b, i), path))
			return false;
		content_path_cut(path, len);
	}
	return true;
}

val map_clone(arena *a, const val *map)
{
	val v = val_map();
	size_t n = val_is_map(map) ? val_len(map) : 0;

	if (n == 0)
		return v;
	v.via.map.ptr = arena_alloc(a, n * sizeof(*v.via.map.ptr));
	v.via.map.size = (uint32_t)n;
	memcpy(v.via.map.ptr, map->via.map.ptr, n * sizeof(*v.via.map.ptr));
	return v;
}
