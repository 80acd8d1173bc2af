/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"
#include "kube/jsonpatch.h"

#define MANY 3000

/* Keys k0…; from the last one when reversed. */
static val numbered(arena *a, size_t n, bool reversed)
{
	val v = val_map_sized(a, n);
	for (size_t i = 0; i < n; i++) {
		size_t k = reversed ? n - 1 - i : i;
		v.via.map.ptr[i].key = val_of_str(arena_printf(a, "k%zu", k));
		v.via.map.ptr[i].val = val_of_int((int64_t)k);
	}
	return v;
}

static void large_maps_compare_by_content(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 64, 65, MANY};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val x = numbered(a, sizes[i], false), y = numbered(a, sizes[i], true);
		assert_true(val_equal(&x, &y));
		if (sizes[i] == 0)
			continue;
		y.via.map.ptr[0].val = val_of_int(-1);
		assert_false(val_equal(&x, &y));
		y = numbered(a, sizes[i], true);
		y.via.map.ptr[0].key = val_of_str("other");
		assert_false(val_equal(&x, &y));
	}
}

static void index_finds_every_key_and_no_other(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val v = numbered(a, MANY, true);
	_cleanup_val_index_ struct val_index x;
	val_index_init(&x, &v);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(val_int_or(val_index_get(&x, val_key(&v, i)), -1),
				 val_int_or(val_value(&v, i), -2));
	assert_null(val_index_get(&x, str_of("k")));
	assert_null(val_index_get(&x, str_of("z")));
	assert_null(val_index_get(&x, str_of("")));

	_cleanup_val_index_ struct val_index none;
	val scalar = val_of_int(1);
	val_index_init(&none, &scalar);
	assert_null(val_index_get(&none, str_of("k0")));
}

static void diff_of_large_maps(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val x = numbered(a, MANY, false), y = numbered(a, MANY, true), back;
	y.via.map.ptr[7].key = val_of_str("fresh");
	y.via.map.ptr[9].val = val_of_str("changed");
	val patch = jsonpatch_diff(a, &x, &y);
	assert_int_equal(val_len(&patch), 3);
	assert_int_equal(jsonpatch_apply(a, &x, &patch, &back, NULL), 0);
	assert_true(val_equal(&back, &y));
}

static void sized_containers(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val list = val_array_sized(a, 3), empty = val_array_sized(a, 0), map = val_map_sized(a, 0);
	assert_string_equal(json_str(a, &list, 0), "[null,null,null]");
	assert_string_equal(json_str(a, &empty, 0), "[]");
	assert_string_equal(json_str(a, &map, 0), "{}");
	val_push(a, &list, val_of_int(1));
	assert_int_equal(val_len(&list), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(large_maps_compare_by_content),
	    cmocka_unit_test(index_finds_every_key_and_no_other),
	    cmocka_unit_test(diff_of_large_maps),
	    cmocka_unit_test(sized_containers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
