/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_default.h"
#include "rules/podtemplate.h"
#include "tests/unit/cases.h"

/* The revision's data: a patch that puts the template back. */
static val revision_data(arena *a, const val *template)
{
	val data = val_map(), copy = val_copy(a, template);
	val *spec = val_ensure_map(a, &data, "spec");

	val_set(a, &copy, "$patch", val_of_str("replace"));
	val_set(a, spec, "template", copy);
	return data;
}

/* OWNER-HASH: FNV-1 of 32 bits over the bytes and the collision count, its decimal text in safe
 * letters. */
static void revision_name(const char *owner, const struct buf *data, char *out, size_t size)
{
	static const char safe[] = "bcdfghjklmnpqrstvwxz2456789";
	uint32_t h = 2166136261U;
	char text[16];

	for (size_t i = 0; i <= data->len; i++) {
		h *= 16777619U;
		h ^= i < data->len ? (unsigned char)data->p[i] : '0';
	}
	snprintf(text, sizeof(text), "%u", h);
	for (char *c = text; *c; c++)
		*c = safe[(unsigned char)*c % 27];
	snprintf(out, size, "%s-%s", owner, text);
}

/* Same bytes, same names as OpenKruise, from what was stored and from what was asked for. */
/* covers: revisions:R4 */
static void stored_cases(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val cases = load_cases(a, "tests/data/cloneset/stored.json");
	size_t seen = 0;

	for (size_t i = 0; i < val_len(&cases); i++) {
		const val *c = val_at(&cases, i);
		const val *revision = val_get(c, "revision");
		val defaulted = val_copy(a, val_get(c, "input"));
		const val *templates[2] = {val_path(c, "stored", "spec", "template", NULL), NULL};

		if (val_is_null(revision))
			continue;
		print_message("%s\n", val_cstr(a, val_get(c, "name")));
		assert_int_equal(cloneset_default(a, &defaulted, NULL, false, NULL), 0);
		templates[1] = val_path(&defaulted, "spec", "template", NULL);
		for (size_t j = 0; j < 2; j++) {
			_cleanup_buf_ struct buf b = {0};
			char name[300];
			val canonical, data;

			assert_int_equal(podtemplate_canonical(a, templates[j], &canonical, NULL),
					 0);
			data = revision_data(a, &canonical);
			if (val_is(val_get(c, "name"), "grpc-unknown"))
				drop_unknown(&data, val_get(revision, "data"));
			json_print(&b, &data, JSON_SORTED | JSON_GO_HTML);
			assert_string_equal(b.p, json_str(a, val_get(revision, "data"),
							  JSON_SORTED | JSON_GO_HTML));
			revision_name(val_cstr(a, val_path(c, "input", "metadata", "name", NULL)),
				      &b, name, sizeof(name));
			assert_string_equal(name, val_cstr(a, val_get(revision, "name")));
			seen++;
		}
	}
	assert_int_equal(seen, 34);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(stored_cases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
