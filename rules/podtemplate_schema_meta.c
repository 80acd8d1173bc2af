/* SPDX-License-Identifier: Apache-2.0 */
/* The API types of metadata, selectors, resources and volume claims; see
 * rules/podtemplate_schema.h. */
#include "rules/podtemplate_schema.h"

/* What a row leaves out is zero, on purpose. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct schema_field owner_reference_fields[] = {
    {"apiVersion", S_STRING, S_KEEP},
    {"kind", S_STRING, S_KEEP},
    {"name", S_STRING, S_KEEP},
    {"uid", S_STRING, S_KEEP},
    {"controller", S_BOOL, S_PTR},
    {"blockOwnerDeletion", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type owner_reference = {owner_reference_fields};

static const struct schema_field managed_fields_entry_fields[] = {
    {"manager", S_STRING},
    {"operation", S_STRING},
    {"apiVersion", S_STRING},
    {"time", S_TIME, S_PTR},
    {"fieldsType", S_STRING},
    {"fieldsV1", S_ANY, S_PTR},
    {0},
};
static const struct schema_type managed_fields_entry = {managed_fields_entry_fields};

static const struct schema_field object_meta_fields[] = {
    {"name", S_STRING},
    {"generateName", S_STRING},
    {"namespace", S_STRING},
    {"selfLink", S_STRING},
    {"uid", S_STRING},
    {"resourceVersion", S_STRING},
    {"generation", S_INT64},
    {"creationTimestamp", S_TIME},
    {"deletionTimestamp", S_TIME, S_PTR},
    {"deletionGracePeriodSeconds", S_INT64, S_PTR},
    {"labels", S_STRING, S_MAP},
    {"annotations", S_STRING, S_MAP},
    {"ownerReferences", S_STRUCT, S_LIST, &owner_reference},
    {"finalizers", S_STRING, S_LIST},
    {"clusterName", S_STRING},
    {"managedFields", S_STRUCT, S_LIST, &managed_fields_entry},
    {0},
};
const struct schema_type SCHEMA_OBJECT_META = {object_meta_fields};

static const struct schema_field label_selector_requirement_fields[] = {
    {"key", S_STRING, S_KEEP},
    {"operator", S_STRING, S_KEEP},
    {"values", S_STRING, S_LIST},
    {0},
};
static const struct schema_type label_selector_requirement = {label_selector_requirement_fields};

static const struct schema_field label_selector_fields[] = {
    {"matchLabels", S_STRING, S_MAP},
    {"matchExpressions", S_STRUCT, S_LIST, &label_selector_requirement},
    {0},
};
const struct schema_type SCHEMA_LABEL_SELECTOR = {label_selector_fields};

static const struct schema_field resource_claim_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"request", S_STRING},
    {0},
};
static const struct schema_type resource_claim = {resource_claim_fields};

static const struct schema_field resource_requirements_fields[] = {
    {"limits", S_QUANTITY, S_MAP},
    {"requests", S_QUANTITY, S_MAP},
    {"claims", S_STRUCT, S_LIST, &resource_claim},
    {0},
};
const struct schema_type SCHEMA_RESOURCES = {resource_requirements_fields};

static const struct schema_field local_object_reference_fields[] = {
    {"name", S_STRING},
    {0},
};
const struct schema_type SCHEMA_LOCAL_REFERENCE = {local_object_reference_fields};

static const struct schema_field typed_local_object_reference_fields[] = {
    {"apiGroup", S_STRING, S_KEEP | S_PTR},
    {"kind", S_STRING, S_KEEP},
    {"name", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type typed_local_object_reference = {
    typed_local_object_reference_fields};

static const struct schema_field object_field_selector_fields[] = {
    {"apiVersion", S_STRING, 0, NULL, "v1"},
    {"fieldPath", S_STRING, S_KEEP},
    {0},
};
const struct schema_type SCHEMA_FIELD_SELECTOR = {object_field_selector_fields};

static const struct schema_field resource_field_selector_fields[] = {
    {"containerName", S_STRING},
    {"resource", S_STRING, S_KEEP},
    {"divisor", S_QUANTITY},
    {0},
};
const struct schema_type SCHEMA_RESOURCE_FIELD_SELECTOR = {resource_field_selector_fields};

static const struct schema_field persistent_volume_claim_spec_fields[] = {
    {"accessModes", S_STRING, S_LIST},
    {"selector", S_STRUCT, S_PTR, &SCHEMA_LABEL_SELECTOR},
    {"resources", S_STRUCT, 0, &SCHEMA_RESOURCES},
    {"volumeName", S_STRING},
    {"storageClassName", S_STRING, S_PTR},
    {"volumeMode", S_STRING, S_PTR},
    {"dataSource", S_STRUCT, S_PTR, &typed_local_object_reference},
    {"dataSourceRef", S_ANY, S_PTR},
    {"volumeAttributesClassName", S_STRING, S_PTR},
    {0},
};
static const struct schema_type persistent_volume_claim_spec = {
    persistent_volume_claim_spec_fields};

static const struct schema_field persistent_volume_claim_template_fields[] = {
    {"metadata", S_STRUCT, 0, &SCHEMA_OBJECT_META},
    {"spec", S_STRUCT, S_KEEP, &persistent_volume_claim_spec},
    {0},
};
const struct schema_type SCHEMA_CLAIM_TEMPLATE = {persistent_volume_claim_template_fields};

static const struct schema_field persistent_volume_claim_condition_fields[] = {
    {"type", S_STRING, S_KEEP},
    {"status", S_STRING, S_KEEP},
    {"lastProbeTime", S_TIME},
    {"lastTransitionTime", S_TIME},
    {"reason", S_STRING},
    {"message", S_STRING},
    {0},
};
static const struct schema_type persistent_volume_claim_condition = {
    persistent_volume_claim_condition_fields};

static const struct schema_field persistent_volume_claim_status_fields[] = {
    {"phase", S_STRING, 0, NULL, "Pending"},
    {"accessModes", S_STRING, S_LIST},
    {"capacity", S_QUANTITY, S_MAP},
    {"conditions", S_STRUCT, S_LIST, &persistent_volume_claim_condition},
    {0},
};
static const struct schema_type persistent_volume_claim_status = {
    persistent_volume_claim_status_fields};

static const struct schema_field persistent_volume_claim_fields[] = {
    {"kind", S_STRING},
    {"apiVersion", S_STRING},
    {"metadata", S_STRUCT, 0, &SCHEMA_OBJECT_META},
    {"spec", S_STRUCT, 0, &persistent_volume_claim_spec},
    {"status", S_STRUCT, 0, &persistent_volume_claim_status},
    {0},
};
const struct schema_type SCHEMA_CLAIM = {persistent_volume_claim_fields};
