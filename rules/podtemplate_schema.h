/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_PODTEMPLATE_SCHEMA_H
#define RULES_PODTEMPLATE_SCHEMA_H

#include "rules/schema.h"

/*
 * The types of Kubernetes' PodTemplateSpec and PersistentVolumeClaim, as of Kubernetes 1.20, with
 * fields that later versions brought. Defaults are those that a workload's template gets (not those
 * of a Pod).
 */
extern const struct schema_type SCHEMA_AFFINITY;
extern const struct schema_type SCHEMA_CLAIM;
extern const struct schema_type SCHEMA_CLAIM_TEMPLATE;
extern const struct schema_type SCHEMA_CONTAINER;
extern const struct schema_type SCHEMA_EPHEMERAL_CONTAINER;
extern const struct schema_type SCHEMA_FIELD_SELECTOR;
extern const struct schema_type SCHEMA_LABEL_SELECTOR;
extern const struct schema_type SCHEMA_LOCAL_REFERENCE;
extern const struct schema_type SCHEMA_OBJECT_META;
extern const struct schema_type SCHEMA_POD_TEMPLATE;
extern const struct schema_type SCHEMA_RESOURCES;
extern const struct schema_type SCHEMA_RESOURCE_FIELD_SELECTOR;
extern const struct schema_type SCHEMA_SECCOMP_PROFILE;
extern const struct schema_type SCHEMA_SELINUX_OPTIONS;
extern const struct schema_type SCHEMA_VOLUME;
extern const struct schema_type SCHEMA_WINDOWS_OPTIONS;

#endif
