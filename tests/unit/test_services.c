/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "supervisor/services.c"

static const struct service_def *def(const char *name)
{
	int i = service_find(name, strlen(name));
	assert_true(i >= 0);
	return &service_defs[i];
}

static void the_table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_service_defs; i++) {
		const struct service_def *d = &service_defs[i];
		assert_int_equal(service_find(d->name, strlen(d->name)), (int)i);
		assert_true(d->stop_phase < SERVICE_STOP_PHASES);
		assert_true(d->beat_usec >= 1500000); /* three beats of 500 ms */
		assert_true(d->memory >= 256 * MIB);
		assert_true(service_grace_usec(d) >= d->beat_usec);
		assert_true(service_grace_usec(d) >= SERVICE_GRACE_USEC);
	}
	assert_int_equal(service_find("webhookd", 8), -1);
	assert_int_equal(service_find("watcherx", 8), -1);
	assert_int_equal(service_find("", 0), -1);
	assert_int_equal(def("webhookd-1")->beat_usec, 2000000);
}

static void stop_order(void **state)
{
	(void)state;
	static const char *const order[] = {"cloneset", "elector", "webhookconfig", "webhookd-0",
					    "watcher"};
	for (size_t i = 0; i + 1 < sizeof(order) / sizeof(order[0]); i++)
		assert_true(def(order[i])->stop_phase < def(order[i + 1])->stop_phase);
	assert_int_equal(def("cloneset")->stop_phase, def("podreadiness")->stop_phase);
	assert_int_equal(def("cloneset")->stop_phase, def("containerlaunchpriority")->stop_phase);
	assert_int_equal(def("webhookd-0")->stop_phase, def("webhookd-1")->stop_phase);
}

static void who_may_start(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct conditions c; /* election, leader, configured */
		bool start, run;
	} cases[] = {
	    {"watcher", {false, false, false}, true, true},
	    {"webhookd-0", {true, false, false}, true, true},
	    {"webhookconfig", {true, false, false}, true, true},
	    {"elector", {true, false, false}, true, true},
	    {"elector", {false, true, true}, false, false},
	    {"cloneset", {true, false, false}, false, false},
	    {"cloneset", {true, true, false}, false, true},
	    {"cloneset", {true, false, true}, false, false},
	    {"cloneset", {true, true, true}, true, true},
	    {"podreadiness", {false, true, true}, true, true},
	    {"containerlaunchpriority", {true, false, true}, false, false},
	    {"containerlaunchpriority", {true, true, true}, true, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(service_may_start(def(cases[i].name), &cases[i].c),
				 cases[i].start);
		assert_int_equal(service_may_run(def(cases[i].name), &cases[i].c), cases[i].run);
	}
}

static void without_election_leadership_is_certain(void **state)
{
	(void)state;
	struct leadership l;
	leadership_init(&l, false);
	assert_true(leadership_certain(&l, 0));
	assert_true(leadership_certain(&l, UINT64_MAX - 1));
}

static void leadership_ends_at_its_time(void **state)
{
	(void)state;
	struct leadership l;
	leadership_init(&l, true);
	assert_false(leadership_certain(&l, 0));
	leadership_new_elector(&l);
	leadership_beat(&l, 0);
	assert_false(leadership_certain(&l, 5));
	leadership_beat(&l, 100);
	assert_true(leadership_certain(&l, 99));
	assert_false(leadership_certain(&l, 100));
	leadership_beat(&l, 200);
	assert_true(leadership_certain(&l, 100));
	leadership_beat(&l, 0);
	assert_false(leadership_certain(&l, 100));
}

static void a_new_elector_takes_nothing_back(void **state)
{
	(void)state;
	struct leadership l;
	leadership_init(&l, true);
	leadership_beat(&l, 1000);
	leadership_new_elector(&l);
	leadership_beat(&l, 0);
	assert_true(leadership_certain(&l, 999));
	assert_false(leadership_certain(&l, 1000));
	leadership_beat(&l, 2000);
	leadership_beat(&l, 0);
	assert_false(leadership_certain(&l, 500));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_table_is_sound),
	    cmocka_unit_test(stop_order),
	    cmocka_unit_test(who_may_start),
	    cmocka_unit_test(without_election_leadership_is_certain),
	    cmocka_unit_test(leadership_ends_at_its_time),
	    cmocka_unit_test(a_new_elector_takes_nothing_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
