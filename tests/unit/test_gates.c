/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/gates.h"

#include <errno.h>
#include <stdio.h>
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

/* The table of the defaults, with the stage that All* goes by, in words of its own. */
static const struct {
	const char *name;
	enum gate gate;
	bool on, beta;
} known[] = {
    {"PodWebhook", GATE_POD_WEBHOOK, true, true},
    {"KruiseDaemon", GATE_KRUISE_DAEMON, true, true},
    {"DaemonWatchingPod", GATE_DAEMON_WATCHING_POD, true, true},
    {"CloneSetShortHash", GATE_CLONESET_SHORT_HASH, false, false},
    {"KruisePodReadinessGate", GATE_KRUISE_POD_READINESS, false, false},
    {"PreDownloadImageForInPlaceUpdate", GATE_PREDOWNLOAD_FOR_INPLACE, false, false},
    {"PreDownloadImageForDaemonSetUpdate", GATE_PREDOWNLOAD_FOR_DAEMONSET, false, false},
    {"CloneSetPartitionRollback", GATE_CLONESET_PARTITION_ROLLBACK, false, false},
    {"ResourcesDeletionProtection", GATE_RESOURCES_DELETION_PROTECTION, false, true},
    {"DeletionProtectionForCRDCascadingGate", GATE_CRD_CASCADING_DELETION_PROTECTION, false, false},
    {"PodUnavailableBudgetDeleteGate", GATE_PUB_DELETE, true, true},
    {"PodUnavailableBudgetUpdateGate", GATE_PUB_UPDATE, false, false},
    {"WorkloadSpread", GATE_WORKLOAD_SPREAD, true, true},
    {"TemplateNoDefaults", GATE_TEMPLATE_NO_DEFAULTS, false, false},
    {"InPlaceUpdateEnvFromMetadata", GATE_INPLACE_ENV_FROM_METADATA, true, true},
    {"StatefulSetAutoDeletePVC", GATE_STATEFULSET_AUTO_DELETE_PVC, true, true},
    {"SidecarSetPatchPodMetadataDefaultsAllowed", GATE_SIDECARSET_PATCH_METADATA_DEFAULTS, false,
     false},
    {"SidecarTerminator", GATE_SIDECAR_TERMINATOR, false, false},
    {"PodProbeMarkerGate", GATE_POD_PROBE_MARKER, true, true},
    {"CloneSetEventHandlerOptimization", GATE_CLONESET_EVENT_HANDLER_OPTIMIZATION, false, false},
    {"PreparingUpdateAsUpdate", GATE_PREPARING_UPDATE_AS_UPDATE, false, false},
    {"ImagePullJobGate", GATE_IMAGE_PULL_JOB, true, false},
    {"ResourceDistributionGate", GATE_RESOURCE_DISTRIBUTION, true, true},
    {"EnhancedLivenessProbe", GATE_ENHANCED_LIVENESS_PROBE, false, false},
    {"RecreatePodWhenChangeVCTInCloneSetGate", GATE_RECREATE_ON_VCT_CHANGE, false, false},
    {"StatefulSetStartOrdinal", GATE_STATEFULSET_START_ORDINAL, false, false},
    {"PodIndexLabel", GATE_POD_INDEX_LABEL, true, true},
    {"EnableExternalCerts", GATE_ENABLE_EXTERNAL_CERTS, false, false},
    {"StatefulSetAutoResizePVCGate", GATE_STATEFULSET_AUTO_RESIZE_PVC, false, false},
    {"ForceDeleteTimeoutExpectationGate", GATE_FORCE_DELETE_TIMEOUT_EXPECTATION, false, false},
    {"InPlaceWorkloadVerticalScaling", GATE_INPLACE_WORKLOAD_VERTICAL_SCALING, false, false},
    {"InPlacePodVerticalScaling", GATE_INPLACE_POD_VERTICAL_SCALING, false, false},
    {"EnablePodProbeMarkerOnServerless", GATE_POD_PROBE_MARKER_ON_SERVERLESS, false, false},
    {"EnableSortSidecarContainerByName", GATE_SORT_SIDECAR_BY_NAME, false, false},
    {"DefaultHostNetworkHostPortsInPodTemplates", GATE_DEFAULT_HOST_NETWORK_PORTS, false, false},
    {"DaemonSetPruneIneligibleNodes", GATE_DAEMONSET_PRUNE_INELIGIBLE_NODES, false, false},
};
#define N_KNOWN (sizeof(known) / sizeof(known[0]))

static struct gates parsed(const char *text)
{
	struct gates g;
	struct err e = {0};

	if (gates_parse(text, NULL, &g, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	return g;
}

static void every_gate_has_its_default(void **state)
{
	struct gates g = gates_default();

	(void)state;
	assert_int_equal(N_KNOWN, GATE_COUNT);
	for (size_t i = 0; i < N_KNOWN; i++) {
		print_message("%s\n", known[i].name);
		assert_string_equal(gate_name(known[i].gate), known[i].name);
		assert_int_equal(gate_on(&g, known[i].gate), known[i].on);
	}
}

/* Each can be set by its name, both ways, also against its stage. Others must be as they have to be
 * for it: what it needs is on, what implies it is off. */
static void every_gate_can_be_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_KNOWN; i++) {
		for (int on = 0; on < 2; on++) {
			char text[256];
			struct gates g;

			snprintf(text, sizeof(text), "%s=%s,AllAlpha=%s,AllBeta=true%s",
				 known[i].name, on ? "true" : "false", on ? "false" : "true",
				 on ? ""
				    : ",PreDownloadImageForInPlaceUpdate=false,"
				      "PreDownloadImageForDaemonSetUpdate=false");
			print_message("%s\n", text);
			g = parsed(text);
			assert_int_equal(gate_on(&g, known[i].gate), on);
		}
	}
}

static void stages_cover_their_gates(void **state)
{
	static const struct {
		const char *text;
		bool beta, on;
	} by_stage[] = {
	    {"AllAlpha=true,AllBeta=true", false, true},
	    {"AllAlpha=true,AllBeta=true", true, true},
	    {"AllAlpha=false", false, false},
	    {"AllBeta=false", true, false},
	};
	(void)state;
	for (size_t r = 0; r < sizeof(by_stage) / sizeof(by_stage[0]); r++) {
		struct gates g = parsed(by_stage[r].text);

		for (size_t i = 0; i < N_KNOWN; i++) {
			if (known[i].beta == by_stage[r].beta)
				assert_int_equal(gate_on(&g, known[i].gate), by_stage[r].on);
		}
	}
}

/* What goes off with a gate, and what does not, with everything on. */
static void dependencies_hold(void **state)
{
	static const struct {
		enum gate off;
		enum gate with[9];
		size_t n;
	} table[] = {
	    {GATE_POD_WEBHOOK,
	     {GATE_POD_WEBHOOK, GATE_KRUISE_POD_READINESS, GATE_PUB_DELETE, GATE_PUB_UPDATE,
	      GATE_WORKLOAD_SPREAD, GATE_SIDECARSET_PATCH_METADATA_DEFAULTS,
	      GATE_ENHANCED_LIVENESS_PROBE, GATE_POD_PROBE_MARKER_ON_SERVERLESS},
	     8},
	    {GATE_KRUISE_DAEMON,
	     {GATE_KRUISE_DAEMON, GATE_PREDOWNLOAD_FOR_INPLACE, GATE_PREDOWNLOAD_FOR_DAEMONSET,
	      GATE_DAEMON_WATCHING_POD, GATE_INPLACE_ENV_FROM_METADATA, GATE_POD_PROBE_MARKER,
	      GATE_SIDECAR_TERMINATOR, GATE_IMAGE_PULL_JOB, GATE_ENHANCED_LIVENESS_PROBE},
	     9},
	    {GATE_RESOURCES_DELETION_PROTECTION,
	     {GATE_RESOURCES_DELETION_PROTECTION, GATE_CRD_CASCADING_DELETION_PROTECTION},
	     2},
	};
	(void)state;
	for (size_t r = 0; r < sizeof(table) / sizeof(table[0]); r++) {
		char text[128];
		struct gates g;

		snprintf(text, sizeof(text), "AllAlpha=true,AllBeta=true,%s=false",
			 gate_name(table[r].off));
		g = parsed(text);
		for (int i = 0; i < GATE_COUNT; i++) {
			bool off = false;

			for (size_t k = 0; k < table[r].n; k++)
				off |= table[r].with[k] == (enum gate)i;
			assert_int_equal(gate_on(&g, (enum gate)i), !off);
		}
	}
}

/* covers: manager:S9 */
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

/* covers: manager:S8 */
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
	    cmocka_unit_test(every_gate_has_its_default),
	    cmocka_unit_test(every_gate_can_be_set),
	    cmocka_unit_test(stages_cover_their_gates),
	    cmocka_unit_test(dependencies_hold),
	    cmocka_unit_test(table_of_flags),
	    cmocka_unit_test(errors),
	    cmocka_unit_test(names_are_complete_and_unique),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
