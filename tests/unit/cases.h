/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CASES_H
#define TESTS_UNIT_CASES_H

#include "ipc/base/log.h"
#include "kube/json.h"

#include <stdio.h>
#include <string.h>

/* The JSON value in a file below tests/data, in the arena. Ends the test when it cannot be read. */
static inline val load_cases(arena *a, const char *path)
{
	_cleanup_buf_ struct buf b = {0};
	struct err e = {0};
	FILE *f = fopen(path, "r");
	char chunk[8192];
	size_t n;
	val v;

	if (!f)
		fatal("%s: cannot be opened; tests run from the repository's root", path);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&b, chunk, n);
	fclose(f);
	if (json_parse(a, arena_strndup(a, b.p, b.len), b.len, &v, &e) < 0)
		fatal("%s: %s", path, e.msg);
	return v;
}

/* A JSON literal with ' for " */
static inline val js(arena *a, const char *text)
{
	struct err e = {0};
	size_t n = strlen(text);
	char *copy = arena_strndup(a, text, n);
	val v;

	for (size_t i = 0; i < n; i++)
		if (copy[i] == '\'')
			copy[i] = '"';
	if (json_parse(a, copy, n, &v, &e) < 0)
		fatal("%s: %s", copy, e.msg);
	return val_copy(a, &v);
}

/* Takes out of `have` what `want` lacks, of map keys at any depth: what newer API types know. */
static inline void drop_unknown(val *have, const val *want)
{
	if (val_is_map(have) && val_is_map(want)) {
		for (size_t i = val_len(have); i-- > 0;) {
			struct str key = val_key(have, i);
			const val *w = val_getn(want, key);
			char name[256];

			snprintf(name, sizeof(name), "%.*s", STR_ARG(key));
			if (!w)
				val_del(have, name);
			else
				drop_unknown(val_get_mut(have, name), w);
		}
	} else if (val_is_array(have) && val_is_array(want)) {
		for (size_t i = 0; i < val_len(have) && i < val_len(want); i++)
			drop_unknown(val_at_mut(have, i), val_at(want, i));
	}
}

#endif
