/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"
#include "rules/lease.h"

#include <string.h>

#define SEC 1000000ull

static const val *lease(arena *a, const char *holder, int seconds, const char *renew)
{
	val *v = arena_alloc(a, sizeof(*v));
	char *text =
	    arena_printf(a,
			 "{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"7\"},\"spec\":{"
			 "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d,"
			 "\"renewTime\":\"%s\",\"leaseTransitions\":3}}",
			 holder, seconds, renew);
	assert_int_equal(json_parse(a, text, strlen(text), v, NULL), 0);
	return v;
}

/* covers: manager:E1 */
static void decisions(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	struct lease_observed seen = {0};
	assert_int_equal(lease_decide(NULL, "me", false, SEC, &seen), LEASE_CREATE);
	assert_int_equal(lease_decide(lease(a, "", 15, "t0"), "me", false, SEC, &seen), LEASE_TAKE);
	/* ours from before a restart */
	assert_int_equal(lease_decide(lease(a, "me", 15, "t1"), "me", false, SEC, &seen),
			 LEASE_TAKE);
	assert_int_equal(lease_decide(lease(a, "me", 15, "t1"), "me", true, SEC, &seen),
			 LEASE_RENEW);
}

static void another_holder_is_waited_for(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	struct lease_observed seen = {0};
	/* the clock starts when we see it first, whatever its renewTime says */
	assert_int_equal(lease_decide(lease(a, "other", 15, "t1"), "me", false, 100 * SEC, &seen),
			 LEASE_WAIT);
	assert_int_equal(lease_decide(lease(a, "other", 15, "t1"), "me", false, 114 * SEC, &seen),
			 LEASE_WAIT);
	/* a renewal starts it anew */
	assert_int_equal(lease_decide(lease(a, "other", 15, "t2"), "me", false, 114 * SEC, &seen),
			 LEASE_WAIT);
	assert_int_equal(lease_decide(lease(a, "other", 15, "t2"), "me", false, 128 * SEC, &seen),
			 LEASE_WAIT);
	assert_int_equal(lease_decide(lease(a, "other", 15, "t2"), "me", false, 129 * SEC, &seen),
			 LEASE_TAKE);
	/* a silly duration does not lock us out, nor let us in at once */
	memset(&seen, 0, sizeof(seen));
	assert_int_equal(lease_decide(lease(a, "other", 0, "t"), "me", false, SEC, &seen),
			 LEASE_WAIT);
	assert_int_equal(lease_decide(lease(a, "other", 0, "t"), "me", false, 16 * SEC, &seen),
			 LEASE_TAKE);
}

static void what_is_written(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val fresh = lease_build(a, NULL, "ns", "l", "me", 15, "now");
	assert_string_equal(
	    json_str(a, &fresh, 0),
	    "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{"
	    "\"namespace\":\"ns\",\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"me\","
	    "\"leaseDurationSeconds\":15,\"renewTime\":\"now\",\"acquireTime\":\"now\","
	    "\"leaseTransitions\":0}}");
	const val *old = lease(a, "other", 15, "t");
	val taken = lease_build(a, old, "ns", "l", "me", 15, "now");
	assert_int_equal(val_int_or(val_path(&taken, "spec", "leaseTransitions", NULL), 0), 4);
	assert_true(val_is(val_path(&taken, "metadata", "resourceVersion", NULL), "7"));
	val renewed = lease_build(a, &taken, "ns", "l", "me", 15, "later");
	assert_true(val_is(val_path(&renewed, "spec", "acquireTime", NULL), "now"));
	assert_int_equal(val_int_or(val_path(&renewed, "spec", "leaseTransitions", NULL), 0), 4);
	val released = lease_build(a, &renewed, "ns", "l", "", 15, "end");
	assert_true(val_is(val_path(&released, "spec", "holderIdentity", NULL), ""));
	assert_int_equal(val_int_or(val_path(&released, "spec", "leaseDurationSeconds", NULL), 0),
			 1);
	assert_int_equal(val_int_or(val_path(&released, "spec", "leaseTransitions", NULL), 0), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(decisions),
	    cmocka_unit_test(another_holder_is_waited_for),
	    cmocka_unit_test(what_is_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
