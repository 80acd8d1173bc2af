/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of volumes. A table says for each kind of source which fields it needs, and which
 * function checks the rest. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"
#include "kube/quantity.h"

#include <string.h>

static const char *const host_path_types[] = {
    "",	    "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
    "File", "FileOrCreate", "Socket",	  NULL};
static const char *const caching_modes[] = {"None", "ReadOnly", "ReadWrite", NULL};
static const char *const disk_kinds[] = {"Dedicated", "Managed", "Shared", NULL};
static const char *const volume_fields[] = {"metadata.annotations", "metadata.labels",
					    "metadata.name",	    "metadata.namespace",
					    "metadata.uid",	    NULL};

static void check_empty_dir(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "sizeLimit");
	struct quantity q;

	if (quantity_from_val(val_get(v, "sizeLimit"), &q) == 0 && q.negative)
		field_error_add(fe, FIELD_FORBIDDEN, &p, NULL, "must not be negative");
}

static void check_host_path(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_no_backsteps(fe, v, path, "path");
	check_choice(fe, v, path, "type", host_path_types);
}

static void check_git_repo(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_descending_path(fe, v, path, "directory");
}

static void check_partition(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_range(fe, v, path, "partition", 0, 255);
}

static void check_nfs(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "path");
	const val *at = val_get(v, "path");

	if (val_str(at).n && !str_has_prefix(val_str(at), "/"))
		field_error_add(fe, FIELD_INVALID, &p, at, "must be an absolute path");
}

/* Needed when a login is asked for. */
static void check_iscsi(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath secret = fpath_child(path, "secretRef"), iqn = fpath_child(path, "iqn");
	struct str name = val_str(val_get(v, "iqn"));

	check_range(fe, v, path, "lun", 0, 255);
	if ((val_bool(val_get(v, "chapAuthDiscovery")) ||
	     val_bool(val_get(v, "chapAuthSession"))) &&
	    !val_get(v, "secretRef"))
		field_error_add(fe, FIELD_REQUIRED, &secret, NULL, "%s", "");
	if (name.n && !str_has_prefix(name, "iqn") && !str_has_prefix(name, "eui") &&
	    !str_has_prefix(name, "naa"))
		field_error_add(fe, FIELD_INVALID, &iqn, val_get(v, "iqn"),
				"must start with iqn, eui or naa");
}

static void check_fc(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "targetWWNs"), lun = fpath_child(path, "lun");
	bool targets = val_len(val_get(v, "targetWWNs")), wwids = val_len(val_get(v, "wwids"));

	if (!targets && !wwids)
		field_error_add(fe, FIELD_REQUIRED, &p, NULL, "targetWWNs or wwids is needed");
	if (targets && wwids)
		field_error_add(fe, FIELD_INVALID, &p, val_get(v, "targetWWNs"), "excludes wwids");
	if (targets && !val_get(v, "lun"))
		field_error_add(fe, FIELD_REQUIRED, &lun, NULL, "is needed with targetWWNs");
	if (targets)
		check_range(fe, v, path, "lun", 0, 255);
}

static void check_flocker(struct field_errors *fe, const val *v, const struct fpath *path)
{
	bool name = val_str(val_get(v, "datasetName")).n,
	     uuid = val_str(val_get(v, "datasetUUID")).n;

	if (!name && !uuid)
		field_error_add(fe, FIELD_REQUIRED, path, NULL,
				"one of datasetName and datasetUUID is needed");
	if (name && uuid)
		field_error_add(fe, FIELD_INVALID, path, v, "datasetName excludes datasetUUID");
}

static const char *any_name(struct str s)
{
	(void)s;
	return NULL;
}

static void check_secret_name(struct field_errors *fe, const val *v, const struct fpath *path,
			      const char *field, name_check_fn check)
{
	struct fpath p = fpath_child(path, field);

	if (val_get(v, field))
		check_name_required(fe, val_get(v, field), &p, "name", check);
}

static void check_secret_ref(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_secret_name(fe, v, path, "secretRef", any_name);
}

static void check_flex(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "options");
	const val *options = val_get(v, "options");

	for (size_t i = 0; i < val_len(options); i++) {
		struct str key = val_key(options, i);
		struct fpath p = fpath_key(&list, key);
		val shown = val_of_strn(key);

		if (memmem(key.p, key.n, "kubernetes.io/", 14) ||
		    memmem(key.p, key.n, "k8s.io/", 7))
			field_error_add(fe, FIELD_INVALID, &p, &shown,
					"the prefixes kubernetes.io and k8s.io are reserved");
	}
}

static void check_azure_disk(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "diskURI");
	const val *uri = val_get(v, "diskURI");
	const char *prefix = val_is(val_get(v, "kind"), "Managed") ? "/subscriptions/" : "https://";
	const char *const shown[] = {prefix, NULL};

	check_choice(fe, v, path, "cachingMode", caching_modes);
	check_choice(fe, v, path, "kind", disk_kinds);
	if (val_str(uri).n && !str_has_prefix(val_str(uri), prefix))
		field_error_not_supported(fe, &p, uri, shown);
}

static void check_storageos(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_name(fe, v, path, "volumeName", name_check_dns1123_label);
	check_name(fe, v, path, "volumeNamespace", name_check_dns1123_label);
	check_secret_ref(fe, v, path);
}

static const char *check_driver(struct str s)
{
	char lower[64];

	if (s.n >= sizeof(lower))
		return "must have no more than 63 characters";
	for (size_t i = 0; i < s.n; i++)
		lower[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
	return name_check_dns1123_subdomain((struct str){lower, s.n});
}

static void check_csi(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_name(fe, v, path, "driver", check_driver);
	check_secret_name(fe, v, path, "nodePublishSecretRef", name_check_dns1123_subdomain);
}

/* The items of ConfigMaps and Secrets: which key goes to which file. paths may be NULL. */
static void check_items(struct field_errors *fe, const val *v, const struct fpath *path,
			struct strset *paths)
{
	struct fpath list = fpath_child(path, "items");
	const val *items = val_get(v, "items");

	for (size_t i = 0; i < val_len(items); i++) {
		struct fpath item = fpath_index(&list, i), p = fpath_child(&item, "path");
		const val *it = val_at(items, i), *file = val_get(it, "path");

		check_required(fe, it, &item, "key");
		check_required(fe, it, &item, "path");
		check_unreserved_path(fe, it, &item, "path");
		check_mode(fe, it, &item, "mode");
		if (paths && val_str(file).n && !strset_add(paths, val_str(file), NULL))
			field_error_add(fe, FIELD_INVALID, &p, file, "conflicting duplicate paths");
	}
}

static void check_key_files(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_mode(fe, v, path, "defaultMode");
	check_items(fe, v, path, NULL);
}

static void check_downward_files(struct field_errors *fe, const val *v, const struct fpath *path,
				 struct strset *paths)
{
	struct fpath list = fpath_child(path, "items");
	const val *items = val_get(v, "items");

	for (size_t i = 0; i < val_len(items); i++) {
		struct fpath item = fpath_index(&list, i), p = fpath_child(&item, "path");
		struct fpath field = fpath_child(&item, "fieldRef");
		struct fpath resource = fpath_child(&item, "resourceFieldRef");
		const val *it = val_at(items, i), *file = val_get(it, "path");
		const val *f = val_get(it, "fieldRef"), *r = val_get(it, "resourceFieldRef");

		check_required(fe, it, &item, "path");
		check_unreserved_path(fe, it, &item, "path");
		check_mode(fe, it, &item, "mode");
		if (f)
			podtemplate_check_field_ref(fe, f, &field, volume_fields);
		if (f && r)
			field_error_add(fe, FIELD_INVALID, &item, file,
					"fieldRef excludes resourceFieldRef");
		else if (r)
			podtemplate_check_resource_ref(fe, r, &resource, true);
		else if (!f)
			field_error_add(fe, FIELD_REQUIRED, &item, NULL,
					"one of fieldRef and resourceFieldRef is needed");
		if (paths && val_str(file).n && !strset_add(paths, val_str(file), NULL))
			field_error_add(fe, FIELD_INVALID, &p, file, "conflicting duplicate paths");
	}
}

static void check_downward(struct field_errors *fe, const val *v, const struct fpath *path)
{
	check_mode(fe, v, path, "defaultMode");
	check_downward_files(fe, v, path, NULL);
}

static size_t count_items(const val *sources)
{
	static const char *const kinds[] = {"secret", "configMap", "downwardAPI"};
	size_t n = 0;

	for (size_t i = 0; i < val_len(sources); i++)
		for (size_t k = 0; k < 3; k++)
			n += val_len(val_get(val_get(val_at(sources, i), kinds[k]), "items"));
	return n;
}

static void check_projection(struct field_errors *fe, const val *source, const struct fpath *path,
			     struct strset *paths)
{
	struct fpath secret = fpath_child(path, "secret"), map = fpath_child(path, "configMap");
	struct fpath downward = fpath_child(path, "downwardAPI");
	struct fpath token = fpath_child(path, "serviceAccountToken");
	const val *s = val_get(source, "secret"), *m = val_get(source, "configMap");
	const val *d = val_get(source, "downwardAPI"), *t = val_get(source, "serviceAccountToken");

	if (s) {
		check_required(fe, s, &secret, "name");
		check_items(fe, s, &secret, paths);
	}
	if (m) {
		check_required(fe, m, &map, "name");
		check_items(fe, m, &map, paths);
	}
	if (d)
		check_downward_files(fe, d, &downward, paths);
	if (t) {
		check_required(fe, t, &token, "path");
		check_range(fe, t, &token, "expirationSeconds", 600, 1LL << 32);
	}
	if (!!s + !!m + !!d + !!t + !!val_get(source, "clusterTrustBundle") > 1)
		field_error_add(fe, FIELD_FORBIDDEN, path, NULL,
				"may not specify more than 1 volume type");
}

static void check_projected(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "sources");
	const val *sources = val_get(v, "sources");
	struct strset paths = strset_new(fe->a, count_items(sources));

	check_mode(fe, v, path, "defaultMode");
	for (size_t i = 0; i < val_len(sources); i++) {
		struct fpath item = fpath_index(&list, i);

		check_projection(fe, val_at(sources, i), &item, &paths);
	}
}

static void check_ephemeral(struct field_errors *fe, const val *v, const struct fpath *path)
{
	struct fpath claim = fpath_child(path, "volumeClaimTemplate");
	struct fpath metadata = fpath_child(&claim, "metadata"), spec = fpath_child(&claim, "spec");
	struct fpath labels = fpath_child(&metadata, "labels");
	struct fpath annotations = fpath_child(&metadata, "annotations");
	const val *c = val_get(v, "volumeClaimTemplate");

	if (!check_required(fe, v, path, "volumeClaimTemplate"))
		return;
	check_labels(fe, val_path(c, "metadata", "labels", NULL), &labels);
	check_annotations(fe, val_path(c, "metadata", "annotations", NULL), &annotations);
	podtemplate_check_claim_spec(fe, val_get(c, "spec"), &spec);
}

static const struct {
	const char *name;
	const char *required[3];
	void (*check)(struct field_errors *fe, const val *source, const struct fpath *path);
} sources[] = {
    {"emptyDir", {0}, check_empty_dir},
    {"hostPath", {"path"}, check_host_path},
    {"gitRepo", {"repository"}, check_git_repo},
    {"gcePersistentDisk", {"pdName"}, check_partition},
    {"awsElasticBlockStore", {"volumeID"}, check_partition},
    {"secret", {"secretName"}, check_key_files},
    {"nfs", {"server", "path"}, check_nfs},
    {"iscsi", {"targetPortal", "iqn"}, check_iscsi},
    {"glusterfs", {"endpoints", "path"}, NULL},
    {"flocker", {0}, check_flocker},
    {"persistentVolumeClaim", {"claimName"}, NULL},
    {"rbd", {"monitors", "image"}, NULL},
    {"cinder", {"volumeID"}, check_secret_ref},
    {"cephfs", {"monitors"}, NULL},
    {"quobyte", {"registry", "volume"}, NULL},
    {"downwardAPI", {0}, check_downward},
    {"fc", {0}, check_fc},
    {"flexVolume", {"driver"}, check_flex},
    {"configMap", {"name"}, check_key_files},
    {"azureFile", {"secretName", "shareName"}, NULL},
    {"vsphereVolume", {"volumePath"}, NULL},
    {"photonPersistentDisk", {"pdID"}, NULL},
    {"portworxVolume", {"volumeID"}, NULL},
    {"azureDisk", {"diskName", "diskURI"}, check_azure_disk},
    {"storageos", {"volumeName"}, check_storageos},
    {"projected", {0}, check_projected},
    {"scaleIO", {"gateway", "system", "volumeName"}, NULL},
    {"csi", {"driver"}, check_csi},
    {"ephemeral", {0}, check_ephemeral},
};
#define N_SOURCES (sizeof(sources) / sizeof(sources[0]))

static void check_source(struct field_errors *fe, size_t kind, const val *source,
			 const struct fpath *path)
{
	for (size_t i = 0; i < 3 && sources[kind].required[i]; i++)
		check_required(fe, source, path, sources[kind].required[i]);
	if (sources[kind].check)
		sources[kind].check(fe, source, path);
}

/* Exactly one source. A kind that the table does not know counts, unchecked. */
static void check_volume(struct field_errors *fe, const val *volume, const struct fpath *path)
{
	size_t known = 0;

	for (size_t i = 0; i < N_SOURCES; i++) {
		struct fpath p = fpath_child(path, sources[i].name);
		const val *source = val_get(volume, sources[i].name);

		if (!source)
			continue;
		if (known++)
			field_error_add(fe, FIELD_FORBIDDEN, &p, NULL,
					"may not specify more than 1 volume type");
		else
			check_source(fe, i, source, &p);
	}
	if (!known && val_len(volume) <= 1)
		field_error_add(fe, FIELD_REQUIRED, path, NULL, "must specify a volume type");
}

void podtemplate_check_volumes(struct field_errors *fe, const val *volumes,
			       const struct fpath *path, struct strset *names)
{
	struct strset seen = strset_new(fe->a, val_len(volumes));

	for (size_t i = 0; i < val_len(volumes); i++) {
		struct fpath item = fpath_index(path, i), p = fpath_child(&item, "name");
		const val *volume = val_at(volumes, i), *name = val_get(volume, "name");
		size_t before = fe->n;

		check_volume(fe, volume, &item);
		check_name_required(fe, volume, &item, "name", name_check_dns1123_label);
		if (val_str(name).n && !strset_add(&seen, val_str(name), NULL))
			field_error_add(fe, FIELD_DUPLICATE, &p, name, "%s", "");
		/* As in Kubernetes, a bad volume is no volume to mount. */
		if (fe->n == before)
			strset_add(names, val_str(name), volume);
	}
}
