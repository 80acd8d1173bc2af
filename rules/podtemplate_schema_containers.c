/* SPDX-License-Identifier: Apache-2.0 */
/* The API types of containers and what is in them; see rules/podtemplate_schema.h. */
#include "rules/podtemplate_schema.h"

/* What a row leaves out is zero, on purpose. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct schema_field container_port_fields[] = {
    {"name", S_STRING},
    {"hostPort", S_INT32},
    {"containerPort", S_INT32, S_KEEP},
    {"protocol", S_STRING, 0, NULL, "TCP"},
    {"hostIP", S_STRING},
    {0},
};
static const struct schema_type container_port = {container_port_fields};

static const struct schema_field config_map_env_source_fields[] = {
    {"name", S_STRING},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type config_map_env_source = {config_map_env_source_fields};

static const struct schema_field secret_env_source_fields[] = {
    {"name", S_STRING},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type secret_env_source = {secret_env_source_fields};

static const struct schema_field env_from_source_fields[] = {
    {"prefix", S_STRING},
    {"configMapRef", S_STRUCT, S_PTR, &config_map_env_source},
    {"secretRef", S_STRUCT, S_PTR, &secret_env_source},
    {0},
};
static const struct schema_type env_from_source = {env_from_source_fields};

static const struct schema_field config_map_key_selector_fields[] = {
    {"name", S_STRING},
    {"key", S_STRING, S_KEEP},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type config_map_key_selector = {config_map_key_selector_fields};

static const struct schema_field secret_key_selector_fields[] = {
    {"name", S_STRING},
    {"key", S_STRING, S_KEEP},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type secret_key_selector = {secret_key_selector_fields};

static const struct schema_field env_var_source_fields[] = {
    {"fieldRef", S_STRUCT, S_PTR, &SCHEMA_FIELD_SELECTOR},
    {"resourceFieldRef", S_STRUCT, S_PTR, &SCHEMA_RESOURCE_FIELD_SELECTOR},
    {"configMapKeyRef", S_STRUCT, S_PTR, &config_map_key_selector},
    {"secretKeyRef", S_STRUCT, S_PTR, &secret_key_selector},
    {0},
};
static const struct schema_type env_var_source = {env_var_source_fields};

static const struct schema_field env_var_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"value", S_STRING},
    {"valueFrom", S_STRUCT, S_PTR, &env_var_source},
    {0},
};
static const struct schema_type env_var = {env_var_fields};

static const struct schema_field volume_mount_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"readOnly", S_BOOL},
    {"mountPath", S_STRING, S_KEEP},
    {"subPath", S_STRING},
    {"mountPropagation", S_STRING, S_PTR},
    {"subPathExpr", S_STRING},
    {"recursiveReadOnly", S_STRING, S_PTR},
    {0},
};
static const struct schema_type volume_mount = {volume_mount_fields};

static const struct schema_field volume_device_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"devicePath", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type volume_device = {volume_device_fields};

static const struct schema_field exec_action_fields[] = {
    {"command", S_STRING, S_LIST},
    {0},
};
static const struct schema_type exec_action = {exec_action_fields};

static const struct schema_field http_header_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"value", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type http_header = {http_header_fields};

static const struct schema_field http_get_action_fields[] = {
    {"path", S_STRING, 0, NULL, "/"},
    {"port", S_INT_OR_STRING, S_KEEP},
    {"host", S_STRING},
    {"scheme", S_STRING, 0, NULL, "HTTP"},
    {"httpHeaders", S_STRUCT, S_LIST, &http_header},
    {0},
};
static const struct schema_type http_get_action = {http_get_action_fields};

static const struct schema_field tcp_socket_action_fields[] = {
    {"port", S_INT_OR_STRING, S_KEEP},
    {"host", S_STRING},
    {0},
};
static const struct schema_type tcp_socket_action = {tcp_socket_action_fields};

static const struct schema_field grpc_action_fields[] = {
    {"port", S_INT32, S_KEEP},
    {"service", S_STRING, S_KEEP | S_PTR, NULL, ""},
    {0},
};
static const struct schema_type grpc_action = {grpc_action_fields};

static const struct schema_field probe_fields[] = {
    {"exec", S_STRUCT, S_PTR, &exec_action},
    {"httpGet", S_STRUCT, S_PTR, &http_get_action},
    {"tcpSocket", S_STRUCT, S_PTR, &tcp_socket_action},
    {"grpc", S_STRUCT, S_PTR, &grpc_action},
    {"initialDelaySeconds", S_INT32},
    {"timeoutSeconds", S_INT32, 0, NULL, "1"},
    {"periodSeconds", S_INT32, 0, NULL, "10"},
    {"successThreshold", S_INT32, 0, NULL, "1"},
    {"failureThreshold", S_INT32, 0, NULL, "3"},
    {"terminationGracePeriodSeconds", S_INT64, S_PTR},
    {0},
};
static const struct schema_type probe = {probe_fields};

static const struct schema_field sleep_action_fields[] = {
    {"seconds", S_INT64, S_KEEP},
    {0},
};
static const struct schema_type sleep_action = {sleep_action_fields};

static const struct schema_field handler_fields[] = {
    {"exec", S_STRUCT, S_PTR, &exec_action},
    {"httpGet", S_STRUCT, S_PTR, &http_get_action},
    {"tcpSocket", S_STRUCT, S_PTR, &tcp_socket_action},
    {"sleep", S_STRUCT, S_PTR, &sleep_action},
    {0},
};
static const struct schema_type handler = {handler_fields};

static const struct schema_field lifecycle_fields[] = {
    {"postStart", S_STRUCT, S_PTR, &handler},
    {"preStop", S_STRUCT, S_PTR, &handler},
    {0},
};
static const struct schema_type lifecycle = {lifecycle_fields};

static const struct schema_field capabilities_fields[] = {
    {"add", S_STRING, S_LIST},
    {"drop", S_STRING, S_LIST},
    {0},
};
static const struct schema_type capabilities = {capabilities_fields};

static const struct schema_field se_linux_options_fields[] = {
    {"user", S_STRING}, {"role", S_STRING}, {"type", S_STRING}, {"level", S_STRING}, {0},
};
const struct schema_type SCHEMA_SELINUX_OPTIONS = {se_linux_options_fields};

static const struct schema_field windows_security_context_options_fields[] = {
    {"gmsaCredentialSpecName", S_STRING, S_PTR},
    {"gmsaCredentialSpec", S_STRING, S_PTR},
    {"runAsUserName", S_STRING, S_PTR},
    {"hostProcess", S_BOOL, S_PTR},
    {0},
};
const struct schema_type SCHEMA_WINDOWS_OPTIONS = {windows_security_context_options_fields};

static const struct schema_field seccomp_profile_fields[] = {
    {"type", S_STRING, S_KEEP},
    {"localhostProfile", S_STRING, S_PTR},
    {0},
};
const struct schema_type SCHEMA_SECCOMP_PROFILE = {seccomp_profile_fields};

static const struct schema_field security_context_fields[] = {
    {"capabilities", S_STRUCT, S_PTR, &capabilities},
    {"privileged", S_BOOL, S_PTR},
    {"seLinuxOptions", S_STRUCT, S_PTR, &SCHEMA_SELINUX_OPTIONS},
    {"windowsOptions", S_STRUCT, S_PTR, &SCHEMA_WINDOWS_OPTIONS},
    {"runAsUser", S_INT64, S_PTR},
    {"runAsGroup", S_INT64, S_PTR},
    {"runAsNonRoot", S_BOOL, S_PTR},
    {"readOnlyRootFilesystem", S_BOOL, S_PTR},
    {"allowPrivilegeEscalation", S_BOOL, S_PTR},
    {"procMount", S_STRING, S_PTR},
    {"seccompProfile", S_STRUCT, S_PTR, &SCHEMA_SECCOMP_PROFILE},
    {"appArmorProfile", S_ANY, S_PTR},
    {0},
};
static const struct schema_type security_context = {security_context_fields};

static const struct schema_field container_resize_policy_fields[] = {
    {"resourceName", S_STRING, S_KEEP},
    {"restartPolicy", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type container_resize_policy = {container_resize_policy_fields};

static const struct schema_field container_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"image", S_STRING},
    {"command", S_STRING, S_LIST},
    {"args", S_STRING, S_LIST},
    {"workingDir", S_STRING},
    {"ports", S_STRUCT, S_LIST, &container_port},
    {"envFrom", S_STRUCT, S_LIST, &env_from_source},
    {"env", S_STRUCT, S_LIST, &env_var},
    {"resources", S_STRUCT, 0, &SCHEMA_RESOURCES},
    {"volumeMounts", S_STRUCT, S_LIST, &volume_mount},
    {"volumeDevices", S_STRUCT, S_LIST, &volume_device},
    {"livenessProbe", S_STRUCT, S_PTR, &probe},
    {"readinessProbe", S_STRUCT, S_PTR, &probe},
    {"startupProbe", S_STRUCT, S_PTR, &probe},
    {"lifecycle", S_STRUCT, S_PTR, &lifecycle},
    {"terminationMessagePath", S_STRING, 0, NULL, "/dev/termination-log"},
    {"terminationMessagePolicy", S_STRING, 0, NULL, "File"},
    {"imagePullPolicy", S_STRING},
    {"securityContext", S_STRUCT, S_PTR, &security_context},
    {"stdin", S_BOOL},
    {"stdinOnce", S_BOOL},
    {"tty", S_BOOL},
    {"resizePolicy", S_STRUCT, S_LIST, &container_resize_policy},
    {"restartPolicy", S_STRING, S_PTR},
    {0},
};
const struct schema_type SCHEMA_CONTAINER = {container_fields};

static const struct schema_field ephemeral_container_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"image", S_STRING},
    {"command", S_STRING, S_LIST},
    {"args", S_STRING, S_LIST},
    {"workingDir", S_STRING},
    {"ports", S_STRUCT, S_LIST, &container_port},
    {"envFrom", S_STRUCT, S_LIST, &env_from_source},
    {"env", S_STRUCT, S_LIST, &env_var},
    {"resources", S_STRUCT, 0, &SCHEMA_RESOURCES},
    {"volumeMounts", S_STRUCT, S_LIST, &volume_mount},
    {"volumeDevices", S_STRUCT, S_LIST, &volume_device},
    {"livenessProbe", S_STRUCT, S_PTR, &probe},
    {"readinessProbe", S_STRUCT, S_PTR, &probe},
    {"startupProbe", S_STRUCT, S_PTR, &probe},
    {"lifecycle", S_STRUCT, S_PTR, &lifecycle},
    {"terminationMessagePath", S_STRING, 0, NULL, "/dev/termination-log"},
    {"terminationMessagePolicy", S_STRING, 0, NULL, "File"},
    {"imagePullPolicy", S_STRING},
    {"securityContext", S_STRUCT, S_PTR, &security_context},
    {"stdin", S_BOOL},
    {"stdinOnce", S_BOOL},
    {"tty", S_BOOL},
    {"targetContainerName", S_STRING},
    {"resizePolicy", S_STRUCT, S_LIST, &container_resize_policy},
    {"restartPolicy", S_STRING, S_PTR},
    {0},
};
const struct schema_type SCHEMA_EPHEMERAL_CONTAINER = {ephemeral_container_fields};
