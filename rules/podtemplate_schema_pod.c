/* SPDX-License-Identifier: Apache-2.0 */
/* The API types of pod templates, affinity and scheduling; see rules/podtemplate_schema.h. */
#include "rules/podtemplate_schema.h"

/* What a row leaves out is zero, on purpose. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct schema_field sysctl_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"value", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type sysctl = {sysctl_fields};

static const struct schema_field pod_security_context_fields[] = {
    {"seLinuxOptions", S_STRUCT, S_PTR, &SCHEMA_SELINUX_OPTIONS},
    {"windowsOptions", S_STRUCT, S_PTR, &SCHEMA_WINDOWS_OPTIONS},
    {"runAsUser", S_INT64, S_PTR},
    {"runAsGroup", S_INT64, S_PTR},
    {"runAsNonRoot", S_BOOL, S_PTR},
    {"supplementalGroups", S_INT64, S_LIST},
    {"fsGroup", S_INT64, S_PTR},
    {"sysctls", S_STRUCT, S_LIST, &sysctl},
    {"fsGroupChangePolicy", S_STRING, S_PTR},
    {"seccompProfile", S_STRUCT, S_PTR, &SCHEMA_SECCOMP_PROFILE},
    {"appArmorProfile", S_ANY, S_PTR},
    {0},
};
static const struct schema_type pod_security_context = {pod_security_context_fields};

static const struct schema_field node_selector_requirement_fields[] = {
    {"key", S_STRING, S_KEEP},
    {"operator", S_STRING, S_KEEP},
    {"values", S_STRING, S_LIST},
    {0},
};
static const struct schema_type node_selector_requirement = {node_selector_requirement_fields};

static const struct schema_field node_selector_term_fields[] = {
    {"matchExpressions", S_STRUCT, S_LIST, &node_selector_requirement},
    {"matchFields", S_STRUCT, S_LIST, &node_selector_requirement},
    {0},
};
static const struct schema_type node_selector_term = {node_selector_term_fields};

static const struct schema_field node_selector_fields[] = {
    {"nodeSelectorTerms", S_STRUCT, S_KEEP | S_LIST, &node_selector_term},
    {0},
};
static const struct schema_type node_selector = {node_selector_fields};

static const struct schema_field preferred_scheduling_term_fields[] = {
    {"weight", S_INT32, S_KEEP},
    {"preference", S_STRUCT, S_KEEP, &node_selector_term},
    {0},
};
static const struct schema_type preferred_scheduling_term = {preferred_scheduling_term_fields};

static const struct schema_field node_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", S_STRUCT, S_PTR, &node_selector},
    {"preferredDuringSchedulingIgnoredDuringExecution", S_STRUCT, S_LIST,
     &preferred_scheduling_term},
    {0},
};
static const struct schema_type node_affinity = {node_affinity_fields};

static const struct schema_field pod_affinity_term_fields[] = {
    {"labelSelector", S_STRUCT, S_PTR, &SCHEMA_LABEL_SELECTOR},
    {"namespaces", S_STRING, S_LIST},
    {"topologyKey", S_STRING, S_KEEP},
    {"namespaceSelector", S_STRUCT, S_PTR, &SCHEMA_LABEL_SELECTOR},
    {"matchLabelKeys", S_STRING, S_LIST},
    {"mismatchLabelKeys", S_STRING, S_LIST},
    {0},
};
static const struct schema_type pod_affinity_term = {pod_affinity_term_fields};

static const struct schema_field weighted_pod_affinity_term_fields[] = {
    {"weight", S_INT32, S_KEEP},
    {"podAffinityTerm", S_STRUCT, S_KEEP, &pod_affinity_term},
    {0},
};
static const struct schema_type weighted_pod_affinity_term = {weighted_pod_affinity_term_fields};

static const struct schema_field pod_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", S_STRUCT, S_LIST, &pod_affinity_term},
    {"preferredDuringSchedulingIgnoredDuringExecution", S_STRUCT, S_LIST,
     &weighted_pod_affinity_term},
    {0},
};
static const struct schema_type pod_affinity = {pod_affinity_fields};

static const struct schema_field pod_anti_affinity_fields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", S_STRUCT, S_LIST, &pod_affinity_term},
    {"preferredDuringSchedulingIgnoredDuringExecution", S_STRUCT, S_LIST,
     &weighted_pod_affinity_term},
    {0},
};
static const struct schema_type pod_anti_affinity = {pod_anti_affinity_fields};

static const struct schema_field affinity_fields[] = {
    {"nodeAffinity", S_STRUCT, S_PTR, &node_affinity},
    {"podAffinity", S_STRUCT, S_PTR, &pod_affinity},
    {"podAntiAffinity", S_STRUCT, S_PTR, &pod_anti_affinity},
    {0},
};
const struct schema_type SCHEMA_AFFINITY = {affinity_fields};

static const struct schema_field toleration_fields[] = {
    {"key", S_STRING},
    {"operator", S_STRING},
    {"value", S_STRING},
    {"effect", S_STRING},
    {"tolerationSeconds", S_INT64, S_PTR},
    {0},
};
static const struct schema_type toleration = {toleration_fields};

static const struct schema_field host_alias_fields[] = {
    {"ip", S_STRING},
    {"hostnames", S_STRING, S_LIST},
    {0},
};
static const struct schema_type host_alias = {host_alias_fields};

static const struct schema_field pod_dns_config_option_fields[] = {
    {"name", S_STRING},
    {"value", S_STRING, S_PTR},
    {0},
};
static const struct schema_type pod_dns_config_option = {pod_dns_config_option_fields};

static const struct schema_field pod_dns_config_fields[] = {
    {"nameservers", S_STRING, S_LIST},
    {"searches", S_STRING, S_LIST},
    {"options", S_STRUCT, S_LIST, &pod_dns_config_option},
    {0},
};
static const struct schema_type pod_dns_config = {pod_dns_config_fields};

static const struct schema_field pod_readiness_gate_fields[] = {
    {"conditionType", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type pod_readiness_gate = {pod_readiness_gate_fields};

static const struct schema_field topology_spread_constraint_fields[] = {
    {"maxSkew", S_INT32, S_KEEP},
    {"topologyKey", S_STRING, S_KEEP},
    {"whenUnsatisfiable", S_STRING, S_KEEP},
    {"labelSelector", S_STRUCT, S_PTR, &SCHEMA_LABEL_SELECTOR},
    {"minDomains", S_INT32, S_PTR},
    {"nodeAffinityPolicy", S_STRING, S_PTR},
    {"nodeTaintsPolicy", S_STRING, S_PTR},
    {"matchLabelKeys", S_STRING, S_LIST},
    {0},
};
static const struct schema_type topology_spread_constraint = {topology_spread_constraint_fields};

static const struct schema_field pod_os_fields[] = {
    {"name", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type pod_os = {pod_os_fields};

static const struct schema_field pod_scheduling_gate_fields[] = {
    {"name", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type pod_scheduling_gate = {pod_scheduling_gate_fields};

static const struct schema_field pod_spec_fields[] = {
    {"volumes", S_STRUCT, S_LIST, &SCHEMA_VOLUME},
    {"initContainers", S_STRUCT, S_LIST, &SCHEMA_CONTAINER},
    {"containers", S_STRUCT, S_KEEP | S_LIST, &SCHEMA_CONTAINER},
    {"ephemeralContainers", S_STRUCT, S_LIST, &SCHEMA_EPHEMERAL_CONTAINER},
    {"restartPolicy", S_STRING, 0, NULL, "Always"},
    {"terminationGracePeriodSeconds", S_INT64, S_PTR, NULL, "30"},
    {"activeDeadlineSeconds", S_INT64, S_PTR},
    {"dnsPolicy", S_STRING, 0, NULL, "ClusterFirst"},
    {"nodeSelector", S_STRING, S_MAP},
    {"serviceAccountName", S_STRING},
    {"serviceAccount", S_STRING},
    {"automountServiceAccountToken", S_BOOL, S_PTR},
    {"nodeName", S_STRING},
    {"hostNetwork", S_BOOL},
    {"hostPID", S_BOOL},
    {"hostIPC", S_BOOL},
    {"shareProcessNamespace", S_BOOL, S_PTR},
    {"securityContext", S_STRUCT, S_PTR, &pod_security_context, "{}"},
    {"imagePullSecrets", S_STRUCT, S_LIST, &SCHEMA_LOCAL_REFERENCE},
    {"hostname", S_STRING},
    {"subdomain", S_STRING},
    {"affinity", S_STRUCT, S_PTR, &SCHEMA_AFFINITY},
    {"schedulerName", S_STRING, 0, NULL, "default-scheduler"},
    {"tolerations", S_STRUCT, S_LIST, &toleration},
    {"hostAliases", S_STRUCT, S_LIST, &host_alias},
    {"priorityClassName", S_STRING},
    {"priority", S_INT32, S_PTR},
    {"dnsConfig", S_STRUCT, S_PTR, &pod_dns_config},
    {"readinessGates", S_STRUCT, S_LIST, &pod_readiness_gate},
    {"runtimeClassName", S_STRING, S_PTR},
    {"enableServiceLinks", S_BOOL, S_PTR},
    {"preemptionPolicy", S_STRING, S_PTR},
    {"overhead", S_QUANTITY, S_MAP},
    {"topologySpreadConstraints", S_STRUCT, S_LIST, &topology_spread_constraint},
    {"setHostnameAsFQDN", S_BOOL, S_PTR},
    {"os", S_STRUCT, S_PTR, &pod_os},
    {"hostUsers", S_BOOL, S_PTR},
    {"schedulingGates", S_STRUCT, S_LIST, &pod_scheduling_gate},
    {"resourceClaims", S_ANY, S_LIST},
    {0},
};
static const struct schema_type pod_spec = {pod_spec_fields};

static const struct schema_field pod_template_spec_fields[] = {
    {"metadata", S_STRUCT, 0, &SCHEMA_OBJECT_META},
    {"spec", S_STRUCT, 0, &pod_spec},
    {0},
};
const struct schema_type SCHEMA_POD_TEMPLATE = {pod_template_spec_fields};
