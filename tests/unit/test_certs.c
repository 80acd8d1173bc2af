/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/certs.h"
#include "rules/certrenewal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define NOW 1790000000ll
#define DAY 86400ll
#define YEAR (365 * DAY)

/* covers: manager:W1 manager:W2 */
static void made_sets_are_good(void **state)
{
	static const char *const hosts[] = {"kruise-webhook-service.kruise-system.svc", "127.0.0.1",
					    "::1", "webhook.example.com"};
	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct cert_set s;
		struct err e = {0};
		assert_int_equal(cert_set_make(&s, hosts[i], NOW, &e), 0);
		assert_true(cert_set_check(&s, hosts[i], NOW, 180 * DAY, &e));
		for (size_t k = 0; k < sizeof(hosts) / sizeof(hosts[0]); k++)
			assert_int_equal(cert_set_check(&s, hosts[k], NOW, 0, &e), i == k);
		cert_set_free(&s);
		assert_null(s.key);
	}
}

/* covers: manager:W2 manager:S4 */
static void expiry_counts(void **state)
{
	static const struct {
		int64_t at, before;
		bool good;
	} cases[] = {
	    {NOW - 7200, 0, false}, /* not valid yet */
	    {NOW - 60, 0, true},    /* another clock is a little behind */
	    {NOW + 9 * YEAR, 180 * DAY, true},
	    {NOW + 10 * YEAR - 181 * DAY, 180 * DAY, true},
	    {NOW + 10 * YEAR - 179 * DAY, 180 * DAY, false},
	    {NOW + 10 * YEAR - 60, 0, true},
	    {NOW + 10 * YEAR + 60, 0, false},
	};
	struct cert_set s;
	(void)state;
	assert_int_equal(cert_set_make(&s, "127.0.0.1", NOW, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
		    cert_set_check(&s, "127.0.0.1", cases[i].at, cases[i].before, NULL),
		    cases[i].good);
	cert_set_free(&s);
}

static bool check_with(struct cert_set s, const char *ca, const char *cert, const char *key,
		       struct err *why)
{
	s.ca_cert = (char *)(uintptr_t)ca;
	s.cert = (char *)(uintptr_t)cert;
	s.key = (char *)(uintptr_t)key;
	return cert_set_check(&s, "127.0.0.1", NOW, 0, why);
}

/* covers: manager:W2 */
static void broken_sets_are_refused(void **state)
{
	struct cert_set a, b;
	(void)state;
	assert_int_equal(cert_set_make(&a, "127.0.0.1", NOW, NULL), 0);
	assert_int_equal(cert_set_make(&b, "127.0.0.1", NOW, NULL), 0);
	const struct {
		const char *ca, *cert, *key, *why;
	} cases[] = {
	    {NULL, a.cert, a.key, "a part is missing"},
	    {a.ca_cert, NULL, a.key, "a part is missing"},
	    {a.ca_cert, a.cert, NULL, "a part is missing"},
	    {"", a.cert, a.key, "the CA is unreadable"},
	    {a.ca_cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", a.key,
	     "the certificate is unreadable"},
	    {a.ca_cert, a.cert, "garbage", "the key is unreadable"},
	    {a.ca_cert, a.cert, b.key, "the key does not belong to the certificate"},
	    {b.ca_cert, a.cert, a.key, "the certificate is not signed by the CA"},
	};
	assert_true(check_with(a, a.ca_cert, a.cert, a.key, NULL));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err why = {0};
		assert_false(check_with(a, cases[i].ca, cases[i].cert, cases[i].key, &why));
		assert_string_equal(why.msg, cases[i].why);
	}
	cert_set_free(&a);
	cert_set_free(&b);
}

static void renewal_texts(void **state)
{
	static const struct {
		const char *text;
		int64_t want; /* -1: refused */
	} cases[] = {
	    {NULL, 180 * DAY},
	    {"", 180 * DAY},
	    {"6m", 180 * DAY},
	    {"30d", 30 * DAY},
	    {"1y", YEAR},
	    {"0d", 0},
	    {"6", -1},
	    {"m", -1},
	    {"-1d", -1},
	    {"6mm", -1},
	    {" 6m", -1},
	    {"6h", -1},
	    {"99999999999999999999d", -1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t got = -1;
		int r = certs_renew_before(cases[i].text, &got, NULL);
		assert_int_equal(r < 0, cases[i].want < 0);
		assert_true(got == cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(made_sets_are_good),
	    cmocka_unit_test(expiry_counts),
	    cmocka_unit_test(broken_sets_are_refused),
	    cmocka_unit_test(renewal_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
