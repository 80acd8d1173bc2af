/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/names.h"

#include <string.h>

#define X63 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X252 X63 X63 X63 X63

typedef const char *(*check_fn)(struct str s);

static const struct {
	check_fn check;
	const char *text;
	bool good;
} rows[] = {
    {name_check_dns1123_label, "a", true},
    {name_check_dns1123_label, "1-a", true},
    {name_check_dns1123_label, X63, true},
    {name_check_dns1123_label, X63 "x", false},
    {name_check_dns1123_label, "", false},
    {name_check_dns1123_label, "-a", false},
    {name_check_dns1123_label, "a-", false},
    {name_check_dns1123_label, "A", false},
    {name_check_dns1123_label, "a.b", false},
    {name_check_dns1123_label, "\xc3\xa9", false},
    {name_check_dns1123_subdomain, "a.b-c.1", true},
    {name_check_dns1123_subdomain, X252 "x", true},
    {name_check_dns1123_subdomain, X252 "xx", false},
    {name_check_dns1123_subdomain, "", false},
    {name_check_dns1123_subdomain, "a..b", false},
    {name_check_dns1123_subdomain, ".a", false},
    {name_check_dns1123_subdomain, "a.", false},
    {name_check_dns1123_subdomain, "a.-b", false},
    {name_check_dns1035_label, "a1", true},
    {name_check_dns1035_label, "1a", false},
    {name_check_dns1035_label, "", false},
    {name_check_qualified, "Name_1.x", true},
    {name_check_qualified, "a.io/Name", true},
    {name_check_qualified, X252 "/" X63, true},
    {name_check_qualified, "/Name", false},
    {name_check_qualified, "a.io/", false},
    {name_check_qualified, "a/b/c", false},
    {name_check_qualified, "A.io/b", false},
    {name_check_qualified, "_a", false},
    {name_check_qualified, "", false},
    {name_check_qualified, X63 "x", false},
    {name_check_annotation_key, "A.io/b", true},
    {name_check_annotation_key, "A io/b", false},
    {name_check_annotation_key, X252 X252, false},
    {name_check_label_value, "", true},
    {name_check_label_value, "A-1_2.b", true},
    {name_check_label_value, X63 "x", false},
    {name_check_label_value, "-a", false},
    {name_check_label_value, "a/b", false},
    {name_check_env_var, "MY_ENV.NAME-1", true},
    {name_check_env_var, "_", true},
    {name_check_env_var, "1A", false},
    {name_check_env_var, "a b", false},
    {name_check_env_var, "", false},
    {name_check_env_var, ".", false},
    {name_check_env_var, "..a", false},
    {name_check_env_var, ".a", true},
    {name_check_port, "http", true},
    {name_check_port, "a-1", true},
    {name_check_port, "123", false},
    {name_check_port, "a--b", false},
    {name_check_port, "-a", false},
    {name_check_port, "a-", false},
    {name_check_port, "HTTP", false},
    {name_check_port, "", false},
    {name_check_port, "abcdefghijklmnop", false},
    {name_check_config_key, "key.name", true},
    {name_check_config_key, "..data", false},
    {name_check_config_key, "a/b", false},
    {name_check_config_key, "", false},
    {name_check_ip, "10.9.8.7", true},
    {name_check_ip, "2001:db8::ffff", true},
    {name_check_ip, "::ffff:1.2.3.4", true},
    {name_check_ip, "1.2.3", false},
    {name_check_ip, "1.2.3.256", false},
    {name_check_ip, "localhost", false},
    {name_check_ip, "", false},
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *why = rows[i].check(str_of(rows[i].text));

		if ((why == NULL) != rows[i].good)
			fail_msg("row %zu (%s): %s", i, rows[i].text, why ? why : "accepted");
	}
}

static void absent_and_nul(void **state)
{
	(void)state;
	static const char nul[] = "a\0b";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check_fn check = rows[i].check;

		assert_true(check((struct str){0}) == check(str_of("")));
		assert_non_null(check((struct str){nul, 3}));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names),
	    cmocka_unit_test(absent_and_nul),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
