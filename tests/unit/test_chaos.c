/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/chaos/invariant.c"

#include <stdio.h>

/* The judge of tests/chaos: what it calls a breach, and what not. */

#define SEC 1000000u

static struct inv_spec spec(int64_t generation, int32_t replicas, int32_t surge,
			    int32_t unavailable)
{
	return (struct inv_spec){.generation = generation,
				 .replicas = replicas,
				 .max_surge = surge,
				 .max_unavailable = unavailable};
}

static void see(struct inv_set *s, struct inv_spec is, int64_t observed, uint64_t now)
{
	inv_spec_seen(s, &is, observed, now);
}

enum state { NEW, READY, GOING, GONE };

static unsigned pod(struct inv_set *s, const char *id, enum state state, uint64_t now)
{
	struct inv_pod p = {.active = state == NEW || state == READY, .available = state == READY};
	snprintf(p.name, sizeof(p.name), "set-%s", id);
	snprintf(p.id, sizeof(p.id), "%s", id);
	snprintf(p.revision, sizeof(p.revision), "r1");
	return inv_pod_seen(s, &p, state == GONE, now);
}

static void pods_up_to_replicas(void **state)
{
	(void)state;
	struct inv_set s = {0};
	see(&s, spec(1, 2, 0, 1), 0, 0);
	assert_int_equal(pod(&s, "a", NEW, 0), 0);
	assert_int_equal(pod(&s, "b", NEW, 0), 0);
	assert_int_equal(pod(&s, "a", READY, 0), 0);
	assert_int_equal(pod(&s, "c", NEW, 0), INV_EXTRA);
	/* said once, by the pod that is too many */
	assert_int_equal(pod(&s, "c", READY, 0), 0);
	inv_free(&s);
}

static void a_terminating_pod_makes_room(void **state)
{
	(void)state;
	struct inv_set s = {0};
	see(&s, spec(1, 1, 0, 1), 1, 0);
	assert_int_equal(pod(&s, "a", READY, 0), 0);
	assert_int_equal(pod(&s, "a", GOING, 0), 0);
	assert_int_equal(pod(&s, "b", NEW, 0), 0);
	assert_int_equal(pod(&s, "a", GONE, 0), 0);
	assert_int_equal(s.active, 1);
	/* never seen, and gone */
	assert_int_equal(pod(&s, "z", GONE, 0), 0);
	assert_int_equal(s.n_pods, 1);
	inv_free(&s);
}

static void surge_is_allowed(void **state)
{
	(void)state;
	struct inv_set s = {0};
	see(&s, spec(1, 1, 1, 0), 1, 0);
	assert_int_equal(pod(&s, "a", READY, 0), 0);
	assert_int_equal(pod(&s, "b", NEW, 0), 0);
	assert_int_equal(pod(&s, "c", NEW, 0), INV_EXTRA);
	inv_free(&s);
}

static void an_older_spec_counts_until_observed(void **state)
{
	(void)state;
	struct inv_set s = {0};
	see(&s, spec(1, 3, 0, 0), 1, 0);
	assert_int_equal(pod(&s, "a", NEW, 0), 0);
	see(&s, spec(2, 1, 0, 0), 1, 0);
	/* by generation 1, which may be all that the worker knows, however long ago that was */
	assert_int_equal(pod(&s, "b", NEW, 100 * SEC), 0);
	see(&s, spec(2, 1, 0, 0), 2, 100 * SEC);
	assert_int_equal(pod(&s, "c", NEW, 101 * SEC), 0); /* on its way */
	assert_int_equal(pod(&s, "c", GONE, 101 * SEC), 0);
	assert_int_equal(pod(&s, "d", NEW, 104 * SEC), INV_EXTRA);
	/* what was too many before the change is no creation */
	assert_int_equal(pod(&s, "b", READY, 104 * SEC), 0);
	inv_free(&s);
}

static void taking_pods_away(void **state)
{
	(void)state;
	struct inv_set s = {0};
	see(&s, spec(1, 3, 0, 1), 1, 0);
	pod(&s, "a", READY, 0);
	pod(&s, "b", READY, 0);
	/* not all there yet, but nothing was taken away */
	assert_int_equal(pod(&s, "c", NEW, 0), 0);
	pod(&s, "c", READY, 0);
	assert_int_equal(pod(&s, "a", NEW, 0), 0);
	assert_int_equal(pod(&s, "b", NEW, 0), INV_UNAVAILABLE);
	pod(&s, "a", READY, 0);
	pod(&s, "b", READY, 0);
	assert_int_equal(pod(&s, "a", GOING, 0), 0);
	assert_int_equal(pod(&s, "b", GONE, 0), INV_UNAVAILABLE);
	inv_free(&s);
}

static void ids_are_unique(void **state)
{
	(void)state;
	struct inv_set s = {0};
	see(&s, spec(1, 3, 0, 1), 1, 0);
	assert_int_equal(pod(&s, "a", NEW, 0), 0);
	struct inv_pod twin = {.name = "set-other", .id = "a", .active = true};
	assert_int_equal(inv_pod_seen(&s, &twin, false, 0), INV_SAME_ID);
	struct inv_pod none = {.name = "set-none"}, none2 = {.name = "set-none2"};
	assert_int_equal(inv_pod_seen(&s, &none, false, 0), 0);
	assert_int_equal(inv_pod_seen(&s, &none2, false, 0), 0);
	inv_free(&s);
}

static void settling(void **state)
{
	(void)state;
	struct inv_set s = {0};
	assert_false(inv_settled(&s, "r1"));
	struct inv_spec is = spec(1, 2, 0, 1);
	see(&s, is, 1, 0);
	pod(&s, "a", READY, 0);
	assert_false(inv_settled(&s, "r1"));
	pod(&s, "b", NEW, 0);
	assert_false(inv_settled(&s, "r1"));
	pod(&s, "b", READY, 0);
	assert_true(inv_settled(&s, "r1"));
	assert_false(inv_settled(&s, "r2"));
	is.generation = 2;
	is.partition = 2;
	see(&s, is, 2, 0);
	assert_true(inv_settled(&s, "r2")); /* none needs to be at it */
	pod(&s, "c", GOING, 0);
	assert_true(inv_settled(&s, "r2"));
	inv_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pods_up_to_replicas),
	    cmocka_unit_test(a_terminating_pod_makes_room),
	    cmocka_unit_test(surge_is_allowed),
	    cmocka_unit_test(an_older_spec_counts_until_observed),
	    cmocka_unit_test(taking_pods_away),
	    cmocka_unit_test(ids_are_unique),
	    cmocka_unit_test(settling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
