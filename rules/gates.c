/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/gates.h"

#include "kube/value.h"

#include <errno.h>
#include <string.h>

enum stage { ALPHA, BETA };

/*
 * The defaults are those of OpenKruise 1.9, with two exceptions: ImagePullJobGate and
 * ResourceDistributionGate are on, since a controller of its own process costs nothing while idle
 * and users of older releases expect them.
 */
static const struct gate_info {
	const char *name;
	bool on;
	enum stage stage;
} table[GATE_COUNT] = {
    [GATE_POD_WEBHOOK] = {"PodWebhook", true, BETA},
    [GATE_KRUISE_DAEMON] = {"KruiseDaemon", true, BETA},
    [GATE_DAEMON_WATCHING_POD] = {"DaemonWatchingPod", true, BETA},
    [GATE_CLONESET_SHORT_HASH] = {"CloneSetShortHash", false, ALPHA},
    [GATE_KRUISE_POD_READINESS] = {"KruisePodReadinessGate", false, ALPHA},
    [GATE_PREDOWNLOAD_FOR_INPLACE] = {"PreDownloadImageForInPlaceUpdate", false, ALPHA},
    [GATE_PREDOWNLOAD_FOR_DAEMONSET] = {"PreDownloadImageForDaemonSetUpdate", false, ALPHA},
    [GATE_CLONESET_PARTITION_ROLLBACK] = {"CloneSetPartitionRollback", false, ALPHA},
    [GATE_RESOURCES_DELETION_PROTECTION] = {"ResourcesDeletionProtection", false, BETA},
    [GATE_CRD_CASCADING_DELETION_PROTECTION] = {"DeletionProtectionForCRDCascadingGate", false,
						ALPHA},
    [GATE_PUB_DELETE] = {"PodUnavailableBudgetDeleteGate", true, BETA},
    [GATE_PUB_UPDATE] = {"PodUnavailableBudgetUpdateGate", false, ALPHA},
    [GATE_WORKLOAD_SPREAD] = {"WorkloadSpread", true, BETA},
    [GATE_TEMPLATE_NO_DEFAULTS] = {"TemplateNoDefaults", false, ALPHA},
    [GATE_INPLACE_ENV_FROM_METADATA] = {"InPlaceUpdateEnvFromMetadata", true, BETA},
    [GATE_STATEFULSET_AUTO_DELETE_PVC] = {"StatefulSetAutoDeletePVC", true, BETA},
    [GATE_SIDECARSET_PATCH_METADATA_DEFAULTS] = {"SidecarSetPatchPodMetadataDefaultsAllowed", false,
						 ALPHA},
    [GATE_SIDECAR_TERMINATOR] = {"SidecarTerminator", false, ALPHA},
    [GATE_POD_PROBE_MARKER] = {"PodProbeMarkerGate", true, BETA},
    [GATE_CLONESET_EVENT_HANDLER_OPTIMIZATION] = {"CloneSetEventHandlerOptimization", false, ALPHA},
    [GATE_PREPARING_UPDATE_AS_UPDATE] = {"PreparingUpdateAsUpdate", false, ALPHA},
    [GATE_IMAGE_PULL_JOB] = {"ImagePullJobGate", true, ALPHA},
    [GATE_RESOURCE_DISTRIBUTION] = {"ResourceDistributionGate", true, BETA},
    [GATE_ENHANCED_LIVENESS_PROBE] = {"EnhancedLivenessProbe", false, ALPHA},
    [GATE_RECREATE_ON_VCT_CHANGE] = {"RecreatePodWhenChangeVCTInCloneSetGate", false, ALPHA},
    [GATE_STATEFULSET_START_ORDINAL] = {"StatefulSetStartOrdinal", false, ALPHA},
    [GATE_POD_INDEX_LABEL] = {"PodIndexLabel", true, BETA},
    [GATE_ENABLE_EXTERNAL_CERTS] = {"EnableExternalCerts", false, ALPHA},
    [GATE_STATEFULSET_AUTO_RESIZE_PVC] = {"StatefulSetAutoResizePVCGate", false, ALPHA},
    [GATE_FORCE_DELETE_TIMEOUT_EXPECTATION] = {"ForceDeleteTimeoutExpectationGate", false, ALPHA},
    [GATE_INPLACE_WORKLOAD_VERTICAL_SCALING] = {"InPlaceWorkloadVerticalScaling", false, ALPHA},
    [GATE_INPLACE_POD_VERTICAL_SCALING] = {"InPlacePodVerticalScaling", false, ALPHA},
    [GATE_POD_PROBE_MARKER_ON_SERVERLESS] = {"EnablePodProbeMarkerOnServerless", false, ALPHA},
    [GATE_SORT_SIDECAR_BY_NAME] = {"EnableSortSidecarContainerByName", false, ALPHA},
    [GATE_DEFAULT_HOST_NETWORK_PORTS] = {"DefaultHostNetworkHostPortsInPodTemplates", false, ALPHA},
    [GATE_DAEMONSET_PRUNE_INELIGIBLE_NODES] = {"DaemonSetPruneIneligibleNodes", false, ALPHA},
};

/* `when` being off turns `then` off; or `when` being on turns `then` on. Applied in this order. */
static const struct dependency {
	enum gate when;
	enum gate then;
	bool implies;
} dependencies[] = {
    {GATE_POD_WEBHOOK, GATE_KRUISE_POD_READINESS, false},
    {GATE_POD_WEBHOOK, GATE_PUB_DELETE, false},
    {GATE_POD_WEBHOOK, GATE_PUB_UPDATE, false},
    {GATE_POD_WEBHOOK, GATE_WORKLOAD_SPREAD, false},
    {GATE_POD_WEBHOOK, GATE_SIDECARSET_PATCH_METADATA_DEFAULTS, false},
    {GATE_POD_WEBHOOK, GATE_ENHANCED_LIVENESS_PROBE, false},
    {GATE_POD_WEBHOOK, GATE_POD_PROBE_MARKER_ON_SERVERLESS, false},
    {GATE_KRUISE_DAEMON, GATE_PREDOWNLOAD_FOR_INPLACE, false},
    {GATE_KRUISE_DAEMON, GATE_PREDOWNLOAD_FOR_DAEMONSET, false},
    {GATE_KRUISE_DAEMON, GATE_DAEMON_WATCHING_POD, false},
    {GATE_KRUISE_DAEMON, GATE_INPLACE_ENV_FROM_METADATA, false},
    {GATE_KRUISE_DAEMON, GATE_POD_PROBE_MARKER, false},
    {GATE_KRUISE_DAEMON, GATE_SIDECAR_TERMINATOR, false},
    {GATE_KRUISE_DAEMON, GATE_IMAGE_PULL_JOB, false},
    {GATE_KRUISE_DAEMON, GATE_ENHANCED_LIVENESS_PROBE, false},
    {GATE_RESOURCES_DELETION_PROTECTION, GATE_CRD_CASCADING_DELETION_PROTECTION, false},
    {GATE_PREDOWNLOAD_FOR_INPLACE, GATE_IMAGE_PULL_JOB, true},
    {GATE_PREDOWNLOAD_FOR_DAEMONSET, GATE_IMAGE_PULL_JOB, true},
};

_Static_assert(GATE_COUNT <= 64, "struct gates holds 64 bits");

struct gates gates_with(struct gates g, enum gate x, bool on)
{
	uint64_t bit = UINT64_C(1) << x;

	g.bits = on ? g.bits | bit : g.bits & ~bit;
	return g;
}

const char *gate_name(enum gate x)
{
	return table[x].name;
}

static struct gates apply_dependencies(struct gates g)
{
	for (size_t i = 0; i < sizeof(dependencies) / sizeof(dependencies[0]); i++) {
		const struct dependency *d = &dependencies[i];

		if (gate_on(&g, d->when) == d->implies)
			g = gates_with(g, d->then, d->implies);
	}
	return g;
}

static struct gates table_defaults(void)
{
	struct gates g = {0};

	for (int i = 0; i < GATE_COUNT; i++)
		g = gates_with(g, (enum gate)i, table[i].on);
	return g;
}

struct gates gates_default(void)
{
	return apply_dependencies(table_defaults());
}

static struct str trim(struct str s)
{
	while (s.n > 0 && (*s.p == ' ' || *s.p == '\t')) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* Cuts the text before the first `sep` off *rest. */
static struct str next_part(struct str *rest, char sep)
{
	const char *end = rest->n ? memchr(rest->p, sep, rest->n) : NULL;
	struct str part = *rest;

	if (!end) {
		rest->p += rest->n;
		rest->n = 0;
		return trim(part);
	}
	part.n = (size_t)(end - rest->p);
	rest->n -= part.n + 1;
	rest->p = end + 1;
	return trim(part);
}

/* The spellings that Go's strconv.ParseBool takes. */
static bool parse_bool(struct str s, bool *out)
{
	static const char *const yes[] = {"true", "True", "TRUE", "t", "T", "1"};
	static const char *const no[] = {"false", "False", "FALSE", "f", "F", "0"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (str_is(s, yes[i]) || str_is(s, no[i])) {
			*out = str_is(s, yes[i]);
			return true;
		}
	}
	return false;
}

static int find_gate(struct str name)
{
	for (int i = 0; i < GATE_COUNT; i++) {
		if (str_is(name, table[i].name))
			return i;
	}
	return -1;
}

static int unknown_gate(struct str name, struct err *e)
{
	_cleanup_buf_ struct buf known = {0};

	for (int i = 0; i < GATE_COUNT; i++)
		buf_printf(&known, "%s%s", i ? ", " : "", table[i].name);
	if (name.n > 64)
		name.n = 64;
	return err_set(e, EINVAL, "unknown feature gate \"%.*s\"; known are AllAlpha, AllBeta, %s",
		       STR_ARG(name), buf_str(&known));
}

struct parsed {
	uint64_t named;	     /* gates that the text names */
	struct gates values; /* their values */
	bool stage_named[2];
	bool stage_value[2];
};

static int parse_one(struct str part, struct parsed *p, struct err *e)
{
	struct str name, rest = part;
	bool on;
	int i;

	if (!memchr(part.p, '=', part.n))
		return err_set(e, EINVAL,
			       "feature gate \"%.*s\" has no value: write NAME=true or NAME=false",
			       (int)(part.n > 64 ? 64 : part.n), part.p);
	name = next_part(&rest, '=');
	if (!parse_bool(trim(rest), &on))
		return err_set(e, EINVAL, "feature gate \"%.*s\": the value must be true or false",
			       (int)(name.n > 64 ? 64 : name.n), name.p);
	if (str_is(name, "AllAlpha") || str_is(name, "AllBeta")) {
		enum stage s = str_is(name, "AllAlpha") ? ALPHA : BETA;

		p->stage_named[s] = true;
		p->stage_value[s] = on;
		return 0;
	}
	i = find_gate(name);
	if (i < 0)
		return unknown_gate(name, e);
	p->named |= UINT64_C(1) << i;
	p->values = gates_with(p->values, (enum gate)i, on);
	return 0;
}

/* Whether CUSTOM_RESOURCE_ENABLE is set to a list without SidecarSet. */
static bool lacks_sidecarset(const char *custom_resources)
{
	struct str rest = str_of(custom_resources);

	if (!custom_resources || !*custom_resources)
		return false;
	while (rest.n > 0) {
		if (str_is(next_part(&rest, ','), "SidecarSet"))
			return false;
	}
	return true;
}

int gates_parse(const char *text, const char *custom_resources, struct gates *out, struct err *e)
{
	struct str rest = str_of(text ? text : "");
	struct gates g = table_defaults();
	struct parsed p = {0};

	if (lacks_sidecarset(custom_resources))
		g = gates_with(g, GATE_POD_WEBHOOK, false);
	while (rest.n > 0) {
		struct str part = next_part(&rest, ',');
		int r;

		if (part.n == 0)
			continue;
		r = parse_one(part, &p, e);
		if (r < 0)
			return r;
	}
	for (int i = 0; i < GATE_COUNT; i++) {
		enum gate x = (enum gate)i;

		if (p.named >> i & 1)
			g = gates_with(g, x, gate_on(&p.values, x));
		else if (p.stage_named[table[i].stage])
			g = gates_with(g, x, p.stage_value[table[i].stage]);
	}
	*out = apply_dependencies(g);
	return 0;
}

void gates_print(struct buf *b, const struct gates *g)
{
	for (int i = 0; i < GATE_COUNT; i++)
		buf_printf(b, "%s%s=%s", i ? "," : "", table[i].name,
			   gate_on(g, (enum gate)i) ? "true" : "false");
}
