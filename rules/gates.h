/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_GATES_H
#define RULES_GATES_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Feature gates, under the names that OpenKruise gives them. The table is in gates.c. */
enum gate {
	GATE_POD_WEBHOOK,
	GATE_KRUISE_DAEMON,
	GATE_DAEMON_WATCHING_POD,
	GATE_CLONESET_SHORT_HASH,
	GATE_KRUISE_POD_READINESS,
	GATE_PREDOWNLOAD_FOR_INPLACE,
	GATE_PREDOWNLOAD_FOR_DAEMONSET,
	GATE_CLONESET_PARTITION_ROLLBACK,
	GATE_RESOURCES_DELETION_PROTECTION,
	GATE_CRD_CASCADING_DELETION_PROTECTION,
	GATE_PUB_DELETE,
	GATE_PUB_UPDATE,
	GATE_WORKLOAD_SPREAD,
	GATE_TEMPLATE_NO_DEFAULTS,
	GATE_INPLACE_ENV_FROM_METADATA,
	GATE_STATEFULSET_AUTO_DELETE_PVC,
	GATE_SIDECARSET_PATCH_METADATA_DEFAULTS,
	GATE_SIDECAR_TERMINATOR,
	GATE_POD_PROBE_MARKER,
	GATE_CLONESET_EVENT_HANDLER_OPTIMIZATION,
	GATE_PREPARING_UPDATE_AS_UPDATE,
	GATE_IMAGE_PULL_JOB,
	GATE_RESOURCE_DISTRIBUTION,
	GATE_ENHANCED_LIVENESS_PROBE,
	GATE_RECREATE_ON_VCT_CHANGE,
	GATE_STATEFULSET_START_ORDINAL,
	GATE_POD_INDEX_LABEL,
	GATE_ENABLE_EXTERNAL_CERTS,
	GATE_STATEFULSET_AUTO_RESIZE_PVC,
	GATE_FORCE_DELETE_TIMEOUT_EXPECTATION,
	GATE_INPLACE_WORKLOAD_VERTICAL_SCALING,
	GATE_INPLACE_POD_VERTICAL_SCALING,
	GATE_POD_PROBE_MARKER_ON_SERVERLESS,
	GATE_SORT_SIDECAR_BY_NAME,
	GATE_DEFAULT_HOST_NETWORK_PORTS,
	GATE_DAEMONSET_PRUNE_INELIGIBLE_NODES,
	GATE_COUNT,
};

struct gates {
	uint64_t bits;
};

/* The defaults, with dependencies applied. */
struct gates gates_default(void);

/*
 * The flag's text, "A=true,B=false,AllAlpha=false", on top of the defaults; NULL or "" gives the
 * defaults. A named gate beats AllAlpha and AllBeta wherever they stand; of a gate that is named
 * twice the last counts. Then dependencies apply: a gate that is off turns off what needs it, one
 * that is on turns on what it implies. custom_resources: the environment's CUSTOM_RESOURCE_ENABLE
 * ("CloneSet,SidecarSet"), or NULL. If it is set and does not list SidecarSet, PodWebhook is off by
 * default. Returns 0, or -EINVAL: an unknown name (the message lists the known ones, cut to its
 * room), a value that is no boolean, a missing '='. *out is written on success only.
 */
int gates_parse(const char *text, const char *custom_resources, struct gates *out, struct err *e);

static inline bool gate_on(const struct gates *g, enum gate x)
{
	return g->bits >> x & 1;
}
/* For tests and embedding; no dependencies are applied. */
struct gates gates_with(struct gates g, enum gate x, bool on);

const char *gate_name(enum gate x);
/* Appends "PodWebhook=true,…", all of them, in the table's order: what --help and metrics show. */
void gates_print(struct buf *b, const struct gates *g);

#endif
