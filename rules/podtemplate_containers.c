/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of containers: names, images, ports, mounts and devices. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"

static const char *const protocols[] = {"SCTP", "TCP", "UDP", NULL};
static const char *const pull_policies[] = {"Always", "IfNotPresent", "Never", NULL};
static const char *const propagations[] = {"Bidirectional", "HostToContainer", "None", NULL};

/* What an init container may not have, unless it is a sidecar (restartPolicy Always). */
static const char *const not_for_init[] = {"lifecycle", "livenessProbe", "readinessProbe",
					   "startupProbe"};

static void check_port_name(struct field_errors *fe, const val *port, const struct fpath *path,
			    struct strset *names)
{
	struct fpath p = fpath_child(path, "name");
	const val *name = val_get(port, "name");

	check_name(fe, port, path, "name", name_check_port);
	if (val_str(name).n && !strset_add(names, val_str(name), NULL))
		field_error_add(fe, FIELD_DUPLICATE, &p, name, "%s", "");
}

static void check_ports(struct field_errors *fe, const val *container, const struct fpath *path,
			bool host_network)
{
	struct fpath list = fpath_child(path, "ports");
	const val *ports = val_get(container, "ports");
	struct strset names = strset_new(fe->a, val_len(ports));

	for (size_t i = 0; i < val_len(ports); i++) {
		struct fpath item = fpath_index(&list, i);
		struct fpath number = fpath_child(&item, "containerPort");
		const val *port = val_at(ports, i), *n = val_get(port, "containerPort");
		int64_t host = val_int_or(val_get(port, "hostPort"), 0);

		check_port_name(fe, port, &item, &names);
		check_choice(fe, port, &item, "protocol", protocols);
		if (host)
			check_range(fe, port, &item, "hostPort", 1, 65535);
		if (!val_int_or(n, 0))
			field_error_add(fe, FIELD_REQUIRED, &number, NULL, "%s", "");
		else
			check_range(fe, port, &item, "containerPort", 1, 65535);
		if (host_network && host != val_int_or(n, 0))
			field_error_add(fe, FIELD_INVALID, &number, n,
					"must match `hostPort` when `hostNetwork` is true");
	}
}

static size_t count_ports(const val *containers)
{
	size_t n = 0;

	for (size_t i = 0; i < val_len(containers); i++)
		n += val_len(val_get(val_at(containers, i), "ports"));
	return n;
}

/* No two containers may want the same port of the host. */
static void check_host_ports(struct field_errors *fe, const val *container,
			     const struct fpath *path, struct strset *taken)
{
	struct fpath list = fpath_child(path, "ports");
	const val *ports = val_get(container, "ports");

	for (size_t i = 0; i < val_len(ports); i++) {
		struct fpath item = fpath_index(&list, i), p = fpath_child(&item, "hostPort");
		const val *port = val_at(ports, i);
		int64_t n = val_int_or(val_get(port, "hostPort"), 0);
		char *text;
		val shown;

		if (!n)
			continue;
		text = arena_printf(fe->a, "%.*s/%.*s/%lld",
				    STR_ARG(val_str(val_get(port, "protocol"))),
				    STR_ARG(val_str(val_get(port, "hostIP"))), (long long)n);
		shown = val_of_str(text);
		if (!strset_add(taken, str_of(text), NULL))
			field_error_add(fe, FIELD_DUPLICATE, &p, &shown, "%s", "");
	}
}

/* Names (or paths) that a container's list of mounts or devices uses. */
static struct strset collect(arena *a, const val *list, const char *field)
{
	struct strset s = strset_new(a, val_len(list));

	for (size_t i = 0; i < val_len(list); i++)
		strset_add(&s, val_str(val_get(val_at(list, i), field)), NULL);
	return s;
}

static void check_mount_path(struct field_errors *fe, const val *mount, const struct fpath *path,
			     struct strset *seen, const struct strset *device_paths)
{
	struct fpath p = fpath_child(path, "mountPath");
	const val *v = val_get(mount, "mountPath");

	if (!check_required(fe, mount, path, "mountPath"))
		return;
	if (!strset_add(seen, val_str(v), NULL))
		field_error_add(fe, FIELD_INVALID, &p, v, "must be unique");
	if (strset_has(device_paths, val_str(v)))
		field_error_add(fe, FIELD_INVALID, &p, v, "is a path of volumeDevices already");
}

static void check_mount_options(struct field_errors *fe, const val *mount, const struct fpath *path,
				bool privileged)
{
	struct fpath expr = fpath_child(path, "subPathExpr");
	struct fpath propagation = fpath_child(path, "mountPropagation");

	check_descending_path(fe, mount, path, "subPath");
	check_descending_path(fe, mount, path, "subPathExpr");
	if (val_str(val_get(mount, "subPath")).n && val_str(val_get(mount, "subPathExpr")).n)
		field_error_add(fe, FIELD_INVALID, &expr, val_get(mount, "subPathExpr"),
				"excludes subPath");
	check_choice(fe, mount, path, "mountPropagation", propagations);
	if (val_is(val_get(mount, "mountPropagation"), "Bidirectional") && !privileged)
		field_error_add(fe, FIELD_FORBIDDEN, &propagation, NULL,
				"Bidirectional is for privileged containers only");
}

static void check_mounts(struct field_errors *fe, const val *container, const struct fpath *path,
			 const struct strset *volumes)
{
	struct fpath list = fpath_child(path, "volumeMounts");
	const val *mounts = val_get(container, "volumeMounts");
	const val *devices = val_get(container, "volumeDevices");
	struct strset seen = strset_new(fe->a, val_len(mounts));
	struct strset device_names = collect(fe->a, devices, "name");
	struct strset device_paths = collect(fe->a, devices, "devicePath");
	bool privileged = val_bool(val_path(container, "securityContext", "privileged", NULL));

	for (size_t i = 0; i < val_len(mounts); i++) {
		struct fpath item = fpath_index(&list, i), p = fpath_child(&item, "name");
		const val *mount = val_at(mounts, i), *name = val_get(mount, "name");

		if (check_required(fe, mount, &item, "name") && !strset_has(volumes, val_str(name)))
			field_error_add(fe, FIELD_NOT_FOUND, &p, name, "%s", "");
		if (strset_has(&device_names, val_str(name)))
			field_error_add(fe, FIELD_INVALID, &p, name, "is in volumeDevices already");
		check_mount_path(fe, mount, &item, &seen, &device_paths);
		check_mount_options(fe, mount, &item, privileged);
	}
}

/* Block devices come from claims: of the pod, of the workload, or generic ephemeral ones. */
static bool is_claim(const val *volume)
{
	return volume == &PODTEMPLATE_EXTRA_VOLUME || val_get(volume, "persistentVolumeClaim") ||
	       val_get(volume, "ephemeral");
}

static void check_device_name(struct field_errors *fe, const val *device, const struct fpath *path,
			      const struct strset *volumes, struct strset *seen)
{
	struct fpath p = fpath_child(path, "name");
	const val *name = val_get(device, "name");
	const val *volume = strset_get(volumes, val_str(name));

	if (!check_required(fe, device, path, "name"))
		return;
	if (!strset_add(seen, val_str(name), NULL))
		field_error_add(fe, FIELD_INVALID, &p, name, "must be unique");
	if (!volume)
		field_error_add(fe, FIELD_NOT_FOUND, &p, name, "%s", "");
	else if (!is_claim(volume))
		field_error_add(fe, FIELD_INVALID, &p, name,
				"must be a volume that comes from a PersistentVolumeClaim");
}

static void check_devices(struct field_errors *fe, const val *container, const struct fpath *path,
			  const struct strset *volumes)
{
	struct fpath list = fpath_child(path, "volumeDevices");
	const val *devices = val_get(container, "volumeDevices");
	struct strset names = strset_new(fe->a, val_len(devices));
	struct strset paths = strset_new(fe->a, val_len(devices));

	for (size_t i = 0; i < val_len(devices); i++) {
		struct fpath item = fpath_index(&list, i), p = fpath_child(&item, "devicePath");
		const val *device = val_at(devices, i), *at = val_get(device, "devicePath");

		check_device_name(fe, device, &item, volumes, &names);
		if (check_required(fe, device, &item, "devicePath") &&
		    !strset_add(&paths, val_str(at), NULL))
			field_error_add(fe, FIELD_INVALID, &p, at, "must be unique");
		check_no_backsteps(fe, device, &item, "devicePath");
	}
}

static void check_message_policy(struct field_errors *fe, const val *container,
				 const struct fpath *path)
{
	struct fpath p = fpath_child(path, "terminationMessagePolicy");
	const val *v = val_get(container, "terminationMessagePolicy");

	if (!val_is(v, "File") && !val_is(v, "FallbackToLogsOnError"))
		field_error_add(fe, FIELD_INVALID, &p, v,
				"must be 'File' or 'FallbackToLogsOnError'");
}

static void check_container(struct field_errors *fe, const val *c, const struct fpath *path,
			    const struct strset *volumes, bool host_network)
{
	struct fpath resources = fpath_child(path, "resources");
	struct fpath security = fpath_child(path, "securityContext");

	check_name_required(fe, c, path, "name", name_check_dns1123_label);
	check_required(fe, c, path, "image");
	check_choice(fe, c, path, "imagePullPolicy", pull_policies);
	check_message_policy(fe, c, path);
	check_ports(fe, c, path, host_network);
	podtemplate_check_env(fe, c, path);
	check_mounts(fe, c, path, volumes);
	check_devices(fe, c, path, volumes);
	podtemplate_check_probes(fe, c, path);
	podtemplate_check_resources(fe, val_get(c, "resources"), &resources);
	podtemplate_check_security(fe, val_get(c, "securityContext"), &security);
}

static void check_init(struct field_errors *fe, const val *c, const struct fpath *path)
{
	if (val_is(val_get(c, "restartPolicy"), "Always"))
		return;
	for (size_t i = 0; i < sizeof(not_for_init) / sizeof(not_for_init[0]); i++) {
		struct fpath p = fpath_child(path, not_for_init[i]);
		const val *v = val_get(c, not_for_init[i]);

		if (v)
			field_error_add(fe, FIELD_INVALID, &p, v,
					"must not be set for init containers");
	}
}

static void check_unique(struct field_errors *fe, const val *c, const struct fpath *path,
			 struct strset *names)
{
	struct fpath p = fpath_child(path, "name");
	const val *name = val_get(c, "name");

	if (val_str(name).n && !strset_add(names, val_str(name), NULL))
		field_error_add(fe, FIELD_DUPLICATE, &p, name, "%s", "");
}

void podtemplate_check_containers(struct field_errors *fe, const val *spec,
				  const struct fpath *path, const struct strset *volumes)
{
	struct fpath main_list = fpath_child(path, "containers");
	struct fpath init_list = fpath_child(path, "initContainers");
	struct fpath ephemeral = fpath_child(path, "ephemeralContainers");
	const val *containers = val_get(spec, "containers"),
		  *init = val_get(spec, "initContainers");
	bool host_network = val_bool(val_get(spec, "hostNetwork"));
	struct strset names = strset_new(fe->a, val_len(containers) + val_len(init));
	struct strset taken = strset_new(fe->a, count_ports(containers));

	check_required(fe, spec, path, "containers");
	for (size_t i = 0; i < val_len(containers); i++) {
		struct fpath item = fpath_index(&main_list, i);

		check_container(fe, val_at(containers, i), &item, volumes, host_network);
		check_unique(fe, val_at(containers, i), &item, &names);
		check_host_ports(fe, val_at(containers, i), &item, &taken);
	}
	/* Init containers run one after the other: their host ports may not clash among themselves
	 * only. */
	for (size_t i = 0; i < val_len(init); i++) {
		struct fpath item = fpath_index(&init_list, i);
		const val *c = val_at(init, i);
		struct strset own = strset_new(fe->a, val_len(val_get(c, "ports")));

		check_container(fe, c, &item, volumes, false);
		check_unique(fe, c, &item, &names);
		check_host_ports(fe, c, &item, &own);
		check_init(fe, c, &item);
	}
	if (val_len(val_get(spec, "ephemeralContainers")))
		field_error_add(fe, FIELD_FORBIDDEN, &ephemeral, NULL,
				"a pod template may not have ephemeral containers");
}
