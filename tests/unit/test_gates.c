/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/gates.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *text, *custom;
	enum gate gate;
	bool on;
} rows[] = {
    {NULL, NULL, GATE_POD_WEBHOOK, true},
    {"", NULL, GATE_CLONESET_SHORT_HASH, false},
    {"", NULL, GATE_IMAGE_PULL_JOB, true},
    {"", NULL, GATE_RESOURCE_DISTRIBUTION, true},
    {"", NULL, GATE_INPLACE_ENV_FROM_METADATA, true},
    {"CloneSetShortHash=true", NULL, GATE_CLONESET_SHORT_HASH, true},
    {" CloneSetShortHash = True , ", NULL, GATE_CLONESET_SHORT_HASH, true},
    {"CloneSetShortHash=true,CloneSetShortHash=0", NULL, GATE_CLONESET_SHORT_HASH, false},
    {"AllAlpha=true", NULL, GATE_CLONESET_PARTITION_ROLLBACK, true},
    {"AllAlpha=true", NULL, GATE_RESOURCES_DELETION_PROTECTION, false},
    {"AllBeta=false", NULL, GATE_WORKLOAD_SPREAD, false},
    {"AllBeta=false", NULL, GATE_POD_WEBHOOK, false},
    {"AllAlpha=false", NULL, GATE_IMAGE_PULL_JOB, false},
    /* a named gate wins, wherever it stands */
    {"CloneSetShortHash=false,AllAlpha=true", NULL, GATE_CLONESET_SHORT_HASH, false},
    {"AllAlpha=true,CloneSetShortHash=false", NULL, GATE_CLONESET_SHORT_HASH, false},
    /* what needs a gate that is off is off */
    {"PodWebhook=false", NULL, GATE_WORKLOAD_SPREAD, false},
    {"PodWebhook=false,PodUnavailableBudgetDeleteGate=true", NULL, GATE_PUB_DELETE, false},
    {"PodWebhook=false", NULL, GATE_INPLACE_ENV_FROM_METADATA, true},
    {"KruiseDaemon=false", NULL, GATE_INPLACE_ENV_FROM_METADATA, false},
    {"KruiseDaemon=false,PreDownloadImageForInPlaceUpdate=true", NULL, GATE_IMAGE_PULL_JOB, false},
    {"DeletionProtectionForCRDCascadingGate=true", NULL, GATE_CRD_CASCADING_DELETION_PROTECTION,
     false},
    {"DeletionProtectionForCRDCascadingGate=true,ResourcesDeletionProtection=true", NULL,
     GATE_CRD_CASCADING_DELETION_PROTECTION, true},
    /* implied */
    {"ImagePullJobGate=false,PreDownloadImageForInPlaceUpdate=true", NULL, GATE_IMAGE_PULL_JOB,
     true},
    {"ImagePullJobGate=false", NULL, GATE_IMAGE_PULL_JOB, false},
    /* the set of enabled kinds */
    {"", "CloneSet", GATE_POD_WEBHOOK, false},
    {"", "CloneSet, SidecarSet", GATE_POD_WEBHOOK, true},
    {"", "", GATE_POD_WEBHOOK, true},
    {"PodWebhook=true", "CloneSet", GATE_POD_WEBHOOK, true},
};

static void table_of_flags(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gates g;
		struct err e = {0};

		print_message("%s\n", rows[i].text ? rows[i].text : "(null)");
		assert_int_equal(gates_parse(rows[i].text, rows[i].custom, &g, &e), 0);
		assert_int_equal(gate_on(&g, rows[i].gate), rows[i].on);
	}
}

static void errors(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
	    {"Foo=true", "known are AllAlpha, AllBeta, PodWebhook, KruiseDaemon"},
	    {"PodWebhook", "has no value"},
	    {"PodWebhook=", "must be true or false"},
	    {"PodWebhook=yes", "must be true or false"},
	    {"=true", "unknown feature gate \"\""},
	    {"podwebhook=true", "unknown"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct gates g = {.bits = 42};
		struct err e = {0};

		assert_int_equal(gates_parse(bad[i].text, NULL, &g, &e), -EINVAL);
		assert_non_null(strstr(e.msg, bad[i].says));
		assert_int_equal(g.bits, 42);
	}
}

static void names_are_complete_and_unique(void **state)
{
	_cleanup_buf_ struct buf b = {0};
	struct gates g = gates_default(), again;

	(void)state;
	for (int i = 0; i < GATE_COUNT; i++) {
		assert_non_null(gate_name((enum gate)i));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(gate_name((enum gate)i), gate_name((enum gate)k));
	}
	gates_print(&b, &g);
	assert_int_equal(gates_parse(buf_str(&b), NULL, &again, NULL), 0);
	assert_int_equal(again.bits, g.bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(table_of_flags),
	    cmocka_unit_test(errors),
	    cmocka_unit_test(names_are_complete_and_unique),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
