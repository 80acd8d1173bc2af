/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_schema.h"

#include "rules/cloneset_convert.h"
#include "rules/podtemplate_schema.h"

/* What a row leaves out is zero, on purpose. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct schema_field scale_strategy_fields[] = {
    {"podsToDelete", S_STRING, S_LIST},
    {"maxUnavailable", S_INT_OR_STRING, S_PTR},
    {"disablePVCReuse", S_BOOL},
    {"excludePreparingDelete", S_BOOL},
    {0},
};
static const struct schema_type scale_strategy = {scale_strategy_fields};

static const struct schema_field scale_strategy_v1beta1_fields[] = {
    {"podsToDelete", S_STRING, S_LIST}, {"maxUnavailable", S_INT_OR_STRING, S_PTR},
    {"enablePVCReuse", S_BOOL, S_KEEP}, /* said also when false: v1alpha1's default differs */
    {"excludePreparingDelete", S_BOOL}, {0},
};
static const struct schema_type scale_strategy_v1beta1 = {scale_strategy_v1beta1_fields};

static const struct schema_field weight_term_fields[] = {
    {"weight", S_INT32, S_KEEP},
    {"matchSelector", S_STRUCT, S_KEEP, &SCHEMA_LABEL_SELECTOR},
    {0},
};
static const struct schema_type weight_term = {weight_term_fields};

static const struct schema_field order_term_fields[] = {
    {"orderedKey", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type order_term = {order_term_fields};

static const struct schema_field priority_strategy_fields[] = {
    {"orderPriority", S_STRUCT, S_LIST, &order_term},
    {"weightPriority", S_STRUCT, S_LIST, &weight_term},
    {0},
};
static const struct schema_type priority_strategy = {priority_strategy_fields};

static const struct schema_field scatter_term_fields[] = {
    {"key", S_STRING, S_KEEP},
    {"value", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type scatter_term = {scatter_term_fields};

static const struct schema_field in_place_fields[] = {
    {"gracePeriodSeconds", S_INT32},
    {"imagePreDownloadParallelism", S_INT_OR_STRING, S_PTR},
    {"imagePreDownloadTimeoutSeconds", S_INT32},
    {"imagePreDownloadMinUpdatedReadyPods", S_INT32},
    {0},
};
static const struct schema_type in_place = {in_place_fields};

/* What steers a roll-out: the same fields in both versions, behind the first one. */
#define ROLLING_FIELDS                                                           \
	{"partition", S_INT_OR_STRING, S_PTR, NULL, "0"},                        \
	    {"maxUnavailable", S_INT_OR_STRING, S_PTR, NULL, "20%"},             \
	    {"maxSurge", S_INT_OR_STRING, S_PTR, NULL, "0"}, {"paused", S_BOOL}, \
	    {"priorityStrategy", S_STRUCT, S_PTR, &priority_strategy},           \
	    {"scatterStrategy", S_STRUCT, S_LIST, &scatter_term},                \
	    {"inPlaceUpdateStrategy", S_STRUCT, S_PTR, &in_place},               \
	{                                                                        \
		0                                                                \
	}

static const struct schema_field update_strategy_fields[] = {
    {"type", S_STRING, 0, NULL, "ReCreate"},
    ROLLING_FIELDS,
};
static const struct schema_type update_strategy = {update_strategy_fields};

static const struct schema_field rolling_update_fields[] = {
    {"podUpdatePolicy", S_STRING, 0, NULL, "ReCreate"},
    ROLLING_FIELDS,
};
static const struct schema_type rolling_update = {rolling_update_fields};

static const struct schema_field update_strategy_v1beta1_fields[] = {
    {"type", S_STRING, 0, NULL, "RollingUpdate"},
    {"rollingUpdate", S_STRUCT, S_PTR, &rolling_update},
    {0},
};
const struct schema_type SCHEMA_CLONESET_UPDATE_V1BETA1 = {update_strategy_v1beta1_fields};

static const struct schema_field lifecycle_hook_fields[] = {
    {"labelsHandler", S_STRING, S_MAP},
    {"finalizersHandler", S_STRING, S_LIST},
    {"markPodNotReady", S_BOOL},
    {0},
};
static const struct schema_type lifecycle_hook = {lifecycle_hook_fields};

static const struct schema_field lifecycle_fields[] = {
    {"preDelete", S_STRUCT, S_PTR, &lifecycle_hook},
    {"inPlaceUpdate", S_STRUCT, S_PTR, &lifecycle_hook},
    {"preNormal", S_STRUCT, S_PTR, &lifecycle_hook},
    {0},
};
static const struct schema_type lifecycle = {lifecycle_fields};

#define SPEC_FIELDS(scale, update)                                                              \
	{"replicas", S_INT32, S_PTR, NULL, "1"},                                                \
	    {"selector", S_STRUCT, S_PTR, &SCHEMA_LABEL_SELECTOR}, {"template", S_ANY},         \
	    {"volumeClaimTemplates", S_ANY, S_LIST}, {"scaleStrategy", S_STRUCT, 0, scale},     \
	    {"updateStrategy", S_STRUCT, 0, update},                                            \
	    {"revisionHistoryLimit", S_INT32, S_PTR, NULL, "10"}, {"minReadySeconds", S_INT32}, \
	    {"lifecycle", S_STRUCT, S_PTR, &lifecycle},                                         \
	    {"progressDeadlineSeconds", S_INT32, S_PTR},                                        \
	{                                                                                       \
		0                                                                               \
	}

static const struct schema_field spec_fields[] = {SPEC_FIELDS(&scale_strategy, &update_strategy)};
const struct schema_type SCHEMA_CLONESET_SPEC = {spec_fields};

static const struct schema_field spec_v1beta1_fields[] = {
    SPEC_FIELDS(&scale_strategy_v1beta1, &SCHEMA_CLONESET_UPDATE_V1BETA1)};
const struct schema_type SCHEMA_CLONESET_SPEC_V1BETA1 = {spec_v1beta1_fields};

const struct schema_type *schema_cloneset_spec(const val *cloneset)
{
	return cloneset_is_v1beta1(cloneset) ? &SCHEMA_CLONESET_SPEC_V1BETA1
					     : &SCHEMA_CLONESET_SPEC;
}
