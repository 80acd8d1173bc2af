/* SPDX-License-Identifier: Apache-2.0 */
/* The API types of volumes and their sources; see rules/podtemplate_schema.h. */
#include "rules/podtemplate_schema.h"

/* What a row leaves out is zero, on purpose. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct schema_field host_path_volume_source_fields[] = {
    {"path", S_STRING, S_KEEP},
    {"type", S_STRING, S_PTR, NULL, ""},
    {0},
};
static const struct schema_type host_path_volume_source = {host_path_volume_source_fields};

static const struct schema_field empty_dir_volume_source_fields[] = {
    {"medium", S_STRING},
    {"sizeLimit", S_QUANTITY, S_PTR},
    {0},
};
static const struct schema_type empty_dir_volume_source = {empty_dir_volume_source_fields};

static const struct schema_field gce_persistent_disk_volume_source_fields[] = {
    {"pdName", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {"partition", S_INT32},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type gce_persistent_disk_volume_source = {
    gce_persistent_disk_volume_source_fields};

static const struct schema_field aws_elastic_block_store_volume_source_fields[] = {
    {"volumeID", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {"partition", S_INT32},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type aws_elastic_block_store_volume_source = {
    aws_elastic_block_store_volume_source_fields};

static const struct schema_field git_repo_volume_source_fields[] = {
    {"repository", S_STRING, S_KEEP},
    {"revision", S_STRING},
    {"directory", S_STRING},
    {0},
};
static const struct schema_type git_repo_volume_source = {git_repo_volume_source_fields};

static const struct schema_field key_to_path_fields[] = {
    {"key", S_STRING, S_KEEP},
    {"path", S_STRING, S_KEEP},
    {"mode", S_INT32, S_PTR},
    {0},
};
static const struct schema_type key_to_path = {key_to_path_fields};

static const struct schema_field secret_volume_source_fields[] = {
    {"secretName", S_STRING},
    {"items", S_STRUCT, S_LIST, &key_to_path},
    {"defaultMode", S_INT32, S_PTR, NULL, "420"},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type secret_volume_source = {secret_volume_source_fields};

static const struct schema_field nfs_volume_source_fields[] = {
    {"server", S_STRING, S_KEEP},
    {"path", S_STRING, S_KEEP},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type nfs_volume_source = {nfs_volume_source_fields};

static const struct schema_field iscsi_volume_source_fields[] = {
    {"targetPortal", S_STRING, S_KEEP},
    {"iqn", S_STRING, S_KEEP},
    {"lun", S_INT32, S_KEEP},
    {"iscsiInterface", S_STRING, 0, NULL, "default"},
    {"fsType", S_STRING},
    {"readOnly", S_BOOL},
    {"portals", S_STRING, S_LIST},
    {"chapAuthDiscovery", S_BOOL},
    {"chapAuthSession", S_BOOL},
    {"secretRef", S_STRUCT, S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {"initiatorName", S_STRING, S_PTR},
    {0},
};
static const struct schema_type iscsi_volume_source = {iscsi_volume_source_fields};

static const struct schema_field glusterfs_volume_source_fields[] = {
    {"endpoints", S_STRING, S_KEEP},
    {"path", S_STRING, S_KEEP},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type glusterfs_volume_source = {glusterfs_volume_source_fields};

static const struct schema_field persistent_volume_claim_volume_source_fields[] = {
    {"claimName", S_STRING, S_KEEP},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type persistent_volume_claim_volume_source = {
    persistent_volume_claim_volume_source_fields};

static const struct schema_field rbd_volume_source_fields[] = {
    {"monitors", S_STRING, S_KEEP | S_LIST},
    {"image", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {"pool", S_STRING, 0, NULL, "rbd"},
    {"user", S_STRING, 0, NULL, "admin"},
    {"keyring", S_STRING, 0, NULL, "/etc/ceph/keyring"},
    {"secretRef", S_STRUCT, S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type rbd_volume_source = {rbd_volume_source_fields};

static const struct schema_field flex_volume_source_fields[] = {
    {"driver", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {"secretRef", S_STRUCT, S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {"readOnly", S_BOOL},
    {"options", S_STRING, S_MAP},
    {0},
};
static const struct schema_type flex_volume_source = {flex_volume_source_fields};

static const struct schema_field cinder_volume_source_fields[] = {
    {"volumeID", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {"readOnly", S_BOOL},
    {"secretRef", S_STRUCT, S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {0},
};
static const struct schema_type cinder_volume_source = {cinder_volume_source_fields};

static const struct schema_field ceph_fs_volume_source_fields[] = {
    {"monitors", S_STRING, S_KEEP | S_LIST},
    {"path", S_STRING},
    {"user", S_STRING},
    {"secretFile", S_STRING},
    {"secretRef", S_STRUCT, S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type ceph_fs_volume_source = {ceph_fs_volume_source_fields};

static const struct schema_field flocker_volume_source_fields[] = {
    {"datasetName", S_STRING},
    {"datasetUUID", S_STRING},
    {0},
};
static const struct schema_type flocker_volume_source = {flocker_volume_source_fields};

static const struct schema_field downward_api_volume_file_fields[] = {
    {"path", S_STRING, S_KEEP},
    {"fieldRef", S_STRUCT, S_PTR, &SCHEMA_FIELD_SELECTOR},
    {"resourceFieldRef", S_STRUCT, S_PTR, &SCHEMA_RESOURCE_FIELD_SELECTOR},
    {"mode", S_INT32, S_PTR},
    {0},
};
static const struct schema_type downward_api_volume_file = {downward_api_volume_file_fields};

static const struct schema_field downward_api_volume_source_fields[] = {
    {"items", S_STRUCT, S_LIST, &downward_api_volume_file},
    {"defaultMode", S_INT32, S_PTR, NULL, "420"},
    {0},
};
static const struct schema_type downward_api_volume_source = {downward_api_volume_source_fields};

static const struct schema_field fc_volume_source_fields[] = {
    {"targetWWNs", S_STRING, S_LIST},
    {"lun", S_INT32, S_PTR},
    {"fsType", S_STRING},
    {"readOnly", S_BOOL},
    {"wwids", S_STRING, S_LIST},
    {0},
};
static const struct schema_type fc_volume_source = {fc_volume_source_fields};

static const struct schema_field azure_file_volume_source_fields[] = {
    {"secretName", S_STRING, S_KEEP},
    {"shareName", S_STRING, S_KEEP},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type azure_file_volume_source = {azure_file_volume_source_fields};

static const struct schema_field config_map_volume_source_fields[] = {
    {"name", S_STRING},
    {"items", S_STRUCT, S_LIST, &key_to_path},
    {"defaultMode", S_INT32, S_PTR, NULL, "420"},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type config_map_volume_source = {config_map_volume_source_fields};

static const struct schema_field vsphere_virtual_disk_volume_source_fields[] = {
    {"volumePath", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {"storagePolicyName", S_STRING},
    {"storagePolicyID", S_STRING},
    {0},
};
static const struct schema_type vsphere_virtual_disk_volume_source = {
    vsphere_virtual_disk_volume_source_fields};

static const struct schema_field quobyte_volume_source_fields[] = {
    {"registry", S_STRING, S_KEEP},
    {"volume", S_STRING, S_KEEP},
    {"readOnly", S_BOOL},
    {"user", S_STRING},
    {"group", S_STRING},
    {"tenant", S_STRING},
    {0},
};
static const struct schema_type quobyte_volume_source = {quobyte_volume_source_fields};

static const struct schema_field azure_disk_volume_source_fields[] = {
    {"diskName", S_STRING, S_KEEP},
    {"diskURI", S_STRING, S_KEEP},
    {"cachingMode", S_STRING, S_PTR, NULL, "ReadWrite"},
    {"fsType", S_STRING, S_PTR, NULL, "ext4"},
    {"readOnly", S_BOOL, S_PTR, NULL, "false"},
    {"kind", S_STRING, S_PTR, NULL, "Shared"},
    {0},
};
static const struct schema_type azure_disk_volume_source = {azure_disk_volume_source_fields};

static const struct schema_field photon_persistent_disk_volume_source_fields[] = {
    {"pdID", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {0},
};
static const struct schema_type photon_persistent_disk_volume_source = {
    photon_persistent_disk_volume_source_fields};

static const struct schema_field secret_projection_fields[] = {
    {"name", S_STRING},
    {"items", S_STRUCT, S_LIST, &key_to_path},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type secret_projection = {secret_projection_fields};

static const struct schema_field downward_api_projection_fields[] = {
    {"items", S_STRUCT, S_LIST, &downward_api_volume_file},
    {0},
};
static const struct schema_type downward_api_projection = {downward_api_projection_fields};

static const struct schema_field config_map_projection_fields[] = {
    {"name", S_STRING},
    {"items", S_STRUCT, S_LIST, &key_to_path},
    {"optional", S_BOOL, S_PTR},
    {0},
};
static const struct schema_type config_map_projection = {config_map_projection_fields};

static const struct schema_field service_account_token_projection_fields[] = {
    {"audience", S_STRING},
    {"expirationSeconds", S_INT64, S_PTR, NULL, "3600"},
    {"path", S_STRING, S_KEEP},
    {0},
};
static const struct schema_type service_account_token_projection = {
    service_account_token_projection_fields};

static const struct schema_field volume_projection_fields[] = {
    {"secret", S_STRUCT, S_PTR, &secret_projection},
    {"downwardAPI", S_STRUCT, S_PTR, &downward_api_projection},
    {"configMap", S_STRUCT, S_PTR, &config_map_projection},
    {"serviceAccountToken", S_STRUCT, S_PTR, &service_account_token_projection},
    {"clusterTrustBundle", S_ANY, S_PTR},
    {0},
};
static const struct schema_type volume_projection = {volume_projection_fields};

static const struct schema_field projected_volume_source_fields[] = {
    {"sources", S_STRUCT, S_KEEP | S_LIST, &volume_projection},
    {"defaultMode", S_INT32, S_PTR, NULL, "420"},
    {0},
};
static const struct schema_type projected_volume_source = {projected_volume_source_fields};

static const struct schema_field portworx_volume_source_fields[] = {
    {"volumeID", S_STRING, S_KEEP},
    {"fsType", S_STRING},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type portworx_volume_source = {portworx_volume_source_fields};

static const struct schema_field scale_io_volume_source_fields[] = {
    {"gateway", S_STRING, S_KEEP},
    {"system", S_STRING, S_KEEP},
    {"secretRef", S_STRUCT, S_KEEP | S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {"sslEnabled", S_BOOL},
    {"protectionDomain", S_STRING},
    {"storagePool", S_STRING},
    {"storageMode", S_STRING, 0, NULL, "ThinProvisioned"},
    {"volumeName", S_STRING},
    {"fsType", S_STRING, 0, NULL, "xfs"},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type scale_io_volume_source = {scale_io_volume_source_fields};

static const struct schema_field storage_os_volume_source_fields[] = {
    {"volumeName", S_STRING},
    {"volumeNamespace", S_STRING},
    {"fsType", S_STRING},
    {"readOnly", S_BOOL},
    {"secretRef", S_STRUCT, S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {0},
};
static const struct schema_type storage_os_volume_source = {storage_os_volume_source_fields};

static const struct schema_field csi_volume_source_fields[] = {
    {"driver", S_STRING, S_KEEP},
    {"readOnly", S_BOOL, S_PTR},
    {"fsType", S_STRING, S_PTR},
    {"volumeAttributes", S_STRING, S_MAP},
    {"nodePublishSecretRef", S_STRUCT, S_PTR, &SCHEMA_LOCAL_REFERENCE},
    {0},
};
static const struct schema_type csi_volume_source = {csi_volume_source_fields};

static const struct schema_field ephemeral_volume_source_fields[] = {
    {"volumeClaimTemplate", S_STRUCT, S_PTR, &SCHEMA_CLAIM_TEMPLATE},
    {"readOnly", S_BOOL},
    {0},
};
static const struct schema_type ephemeral_volume_source = {ephemeral_volume_source_fields};

static const struct schema_field volume_fields[] = {
    {"name", S_STRING, S_KEEP},
    {"hostPath", S_STRUCT, S_PTR, &host_path_volume_source},
    {"emptyDir", S_STRUCT, S_PTR, &empty_dir_volume_source},
    {"gcePersistentDisk", S_STRUCT, S_PTR, &gce_persistent_disk_volume_source},
    {"awsElasticBlockStore", S_STRUCT, S_PTR, &aws_elastic_block_store_volume_source},
    {"gitRepo", S_STRUCT, S_PTR, &git_repo_volume_source},
    {"secret", S_STRUCT, S_PTR, &secret_volume_source},
    {"nfs", S_STRUCT, S_PTR, &nfs_volume_source},
    {"iscsi", S_STRUCT, S_PTR, &iscsi_volume_source},
    {"glusterfs", S_STRUCT, S_PTR, &glusterfs_volume_source},
    {"persistentVolumeClaim", S_STRUCT, S_PTR, &persistent_volume_claim_volume_source},
    {"rbd", S_STRUCT, S_PTR, &rbd_volume_source},
    {"flexVolume", S_STRUCT, S_PTR, &flex_volume_source},
    {"cinder", S_STRUCT, S_PTR, &cinder_volume_source},
    {"cephfs", S_STRUCT, S_PTR, &ceph_fs_volume_source},
    {"flocker", S_STRUCT, S_PTR, &flocker_volume_source},
    {"downwardAPI", S_STRUCT, S_PTR, &downward_api_volume_source},
    {"fc", S_STRUCT, S_PTR, &fc_volume_source},
    {"azureFile", S_STRUCT, S_PTR, &azure_file_volume_source},
    {"configMap", S_STRUCT, S_PTR, &config_map_volume_source},
    {"vsphereVolume", S_STRUCT, S_PTR, &vsphere_virtual_disk_volume_source},
    {"quobyte", S_STRUCT, S_PTR, &quobyte_volume_source},
    {"azureDisk", S_STRUCT, S_PTR, &azure_disk_volume_source},
    {"photonPersistentDisk", S_STRUCT, S_PTR, &photon_persistent_disk_volume_source},
    {"projected", S_STRUCT, S_PTR, &projected_volume_source},
    {"portworxVolume", S_STRUCT, S_PTR, &portworx_volume_source},
    {"scaleIO", S_STRUCT, S_PTR, &scale_io_volume_source},
    {"storageos", S_STRUCT, S_PTR, &storage_os_volume_source},
    {"csi", S_STRUCT, S_PTR, &csi_volume_source},
    {"ephemeral", S_STRUCT, S_PTR, &ephemeral_volume_source},
    {0},
};
const struct schema_type SCHEMA_VOLUME = {volume_fields};
