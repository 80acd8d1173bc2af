/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void round_trips(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out; /* out NULL: same as in */
		unsigned flags;
	} rows[] = {
	    {"{}", NULL, 0},
	    {"[]", NULL, 0},
	    {" [ 1 , -2 , 3.5 ] ", "[1,-2,3.5]", 0},
	    {"9223372036854775807", NULL, 0},
	    {"-9223372036854775808", NULL, 0},
	    {"18446744073709551615", NULL, 0},
	    {"9007199254740993", NULL, 0},
	    {"1.0", "1", 0},
	    {"0.1", NULL, 0},
	    {"1e300", "1e+300", 0},
	    {"\"a\\u0041\\n\\/\"", "\"aA\\n/\"", 0},
	    {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", 0},
	    {"\"\\ud83d\"", "\"\xef\xbf\xbd\"", 0},
	    {"\"\\u0000\"", NULL, 0},
	    {"{\"b\":1,\"a\":[true,false,null]}", NULL, 0},
	    {"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}", JSON_SORTED},
	    {"\"<a&b>\"", "\"\\u003ca\\u0026b\\u003e\"", JSON_GO_HTML},
	    {"\"\xe2\x80\xa8\xe2\x80\xa9\"", "\"\\u2028\\u2029\"", JSON_GO_HTML},
	    {"\"\xe2\x80\xa7\"", "\"\xe2\x80\xa7\"", JSON_GO_HTML},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct err e = {0};
		val v, back;
		assert_int_equal(json_parse(a, rows[i].in, strlen(rows[i].in), &v, &e), 0);
		assert_string_equal(json_str(a, &v, rows[i].flags),
				    rows[i].out ? rows[i].out : rows[i].in);

		_cleanup_buf_ struct buf packed = {0};
		val_pack(&packed, &v);
		assert_int_equal(val_unpack(a, packed.p, packed.len, &back, &e), 0);
		assert_true(val_equal(&v, &back));
		assert_string_equal(json_str(a, &back, 0), json_str(a, &v, 0));
	}
}

static void leaves_out_managed_fields(void **state)
{
	(void)state;
	static const struct {
		unsigned depth;
		const char *in, *out; /* out NULL: refused */
	} rows[] = {
	    {0, "{\"metadata\":{\"managedFields\":[{\"a\":\"]\\\"}\"},[]],\"name\":\"x\"}}",
	     "{\"metadata\":{\"name\":\"x\"}}"},
	    {0, "{\"metadata\":{\"name\":\"x\",\"managedFields\" : [ ] },\"a\":1}",
	     "{\"metadata\":{\"name\":\"x\"},\"a\":1}"},
	    {1, "{\"object\":{\"metadata\":{\"managedFields\":[1]}}}",
	     "{\"object\":{\"metadata\":{}}}"},
	    {2, "{\"items\":[{\"metadata\":{\"managedFields\":[1]}}]}",
	     "{\"items\":[{\"metadata\":{}}]}"},
	    /* only there */
	    {0, "{\"managedFields\":[1],\"spec\":{\"managedFields\":[2]}}",
	     "{\"managedFields\":[1],\"spec\":{\"managedFields\":[2]}}"},
	    {0, "{\"metadata\":{\"labels\":{\"managedFields\":[1]},\"managedFields\":\"x\"}}",
	     "{\"metadata\":{\"labels\":{\"managedFields\":[1]},\"managedFields\":\"x\"}}"},
	    {0, "{\"spec\":{\"metadata\":{\"managedFields\":[1]}},\"metadata\":{}}",
	     "{\"spec\":{\"metadata\":{\"managedFields\":[1]}},\"metadata\":{}}"},
	    {0, "{\"metadata\":{\"managedFields\":[{\"a\":1]", NULL},
	    {0, "{\"metadata\":{\"managedFields\":[\"]}}", NULL},
	    {0, "{\"metadata\":{\"managedFields\":[\"\\", NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct err e = {0};
		val v;
		int r = json_parse_lean(a, rows[i].in, strlen(rows[i].in), rows[i].depth, &v, &e);
		assert_int_equal(r, rows[i].out ? 0 : -EINVAL);
		if (rows[i].out)
			assert_string_equal(json_str(a, &v, 0), rows[i].out);
	}
}

static void refuses(void **state)
{
	(void)state;
	static const char *const rows[] = {
	    "",
	    "{",
	    "}",
	    "[1,]",
	    "{\"a\"}",
	    "{\"a\":}",
	    "{\"a\":1,}",
	    "01",
	    "1.",
	    "-",
	    "1e",
	    "nul",
	    "\"",
	    "\"\\x\"",
	    "\"\\u12\"",
	    "\"\n\"",
	    "\"\xff\"",
	    "\"\xc0\x80\"",
	    "\"\xed\xa0\x80\"",
	    "1 2",
	    "{\"a\":1,\"a\":2}",
	    "1e999",
	    "{1:2}",
	    "\"\\",
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct err e = {0};
		val v;
		/* an exact-size heap copy, so that reading beyond the end is seen */
		size_t n = strlen(rows[i]);
		char *copy = malloc(n ? n : 1);
		memcpy(copy, rows[i], n);
		assert_true(json_parse(a, copy, n, &v, &e) < 0);
		assert_true(e.msg[0] != '\0');
		free(copy);
	}
}

static void depth_is_limited(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	char text[2 * JSON_MAX_DEPTH + 2];
	val v;
	for (int extra = 0; extra <= 1; extra++) {
		size_t n = JSON_MAX_DEPTH + (size_t)extra;
		memset(text, '[', n);
		memset(text + n, ']', n);
		assert_int_equal(json_parse(a, text, 2 * n, &v, NULL) == 0, extra == 0);
	}
	memset(text, '\x91', sizeof(text));
	assert_true(val_unpack(a, text, sizeof(text), &v, NULL) < 0);
}

static void many_keys_and_duplicates(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf b = {0};
	buf_putc(&b, '{');
	for (int i = 0; i < 20000; i++)
		buf_printf(&b, "%s\"k%d\":%d", i ? "," : "", i, i);
	val v;
	size_t open = b.len;
	buf_putc(&b, '}');
	assert_int_equal(json_parse(a, b.p, b.len, &v, NULL), 0);
	assert_int_equal(val_int_or(val_get(&v, "k19999"), -1), 19999);
	b.len = open;
	buf_puts(&b, ",\"k7\":0}");
	assert_true(json_parse(a, b.p, b.len, &v, NULL) < 0);
}

static void msgpack_refuses(void **state)
{
	(void)state;
	static const struct {
		const char *p;
		size_t n;
	} rows[] = {
	    {"", 0},
	    {"\xdd\xff\xff\xff\xff", 5},
	    {"\xdf\xff\xff\xff\xff", 5},
	    {"\xdb\x00\x00\x00\x05"
	     "ab",
	     7},
	    {"\x81\x01\x02", 3},
	    {"\xc1", 1},
	    {"\xd4\x01\x02", 3},
	    {"\x01\x02", 2},
	    {"\xcf\x00", 2},
	    {"\x92\x01", 2},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v;
		char *copy = malloc(rows[i].n ? rows[i].n : 1);
		memcpy(copy, rows[i].p, rows[i].n);
		assert_true(val_unpack(a, copy, rows[i].n, &v, NULL) < 0);
		free(copy);
	}
}

static void values(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val m = val_map();
	val_set(a, &m, "a", val_of_int(1));
	val_set(a, &m, "b", val_of_str("x"));
	val_set(a, &m, "a", val_of_int(2));
	val *sub = val_ensure_map(a, &m, "c");
	val_set(a, sub, "d", val_of_bool(true));
	val list = val_array();
	for (int i = 0; i < 3; i++) {
		val item = val_map();
		val_set(a, &item, "name", val_of_str(arena_printf(a, "n%d", i)));
		val_push(a, &list, item);
	}
	val_set(a, &m, "l", list);
	assert_string_equal(json_str(a, &m, 0),
			    "{\"a\":2,\"b\":\"x\",\"c\":{\"d\":true},\"l\":[{\"name\":"
			    "\"n0\"},{\"name\":\"n1\"},{\"name\":\"n2\"}]}");
	assert_true(val_bool(val_path(&m, "c", "d", NULL)));
	assert_null(val_path(&m, "b", "d", NULL));
	assert_non_null(val_find(val_get(&m, "l"), "name", str_of("n2")));
	assert_null(val_find(val_get(&m, "l"), "name", str_of("n3")));

	val copy = val_copy(a, &m);
	assert_true(val_equal(&copy, &m));
	assert_true(val_del(&copy, "a"));
	assert_false(val_del(&copy, "a"));
	assert_false(val_equal(&copy, &m));
	assert_int_equal(val_int_or(val_get(&m, "a"), 0), 2);
	val_remove_at(val_get_mut(&copy, "l"), 1);
	assert_int_equal(val_len(val_get(&copy, "l")), 2);
	assert_int_equal(val_len(val_get(&m, "l")), 3);
	assert_true(val_is(val_get(val_at(val_get(&copy, "l"), 1), "name"), "n2"));
	assert_true(str_cmp(str_of("a"), str_of("ab")) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(round_trips),
	    cmocka_unit_test(leaves_out_managed_fields),
	    cmocka_unit_test(refuses),
	    cmocka_unit_test(depth_is_limited),
	    cmocka_unit_test(many_keys_and_duplicates),
	    cmocka_unit_test(msgpack_refuses),
	    cmocka_unit_test(values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
