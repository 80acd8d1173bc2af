/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of security contexts. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"

#include <string.h>

#define ID_MAX INT32_MAX
#define GMSA_SPEC_MAX (64 * 1024)

static const char *const proc_mounts[] = {"Default", "Unmasked", NULL};
static const char *const seccomp_types[] = {"Localhost", "RuntimeDefault", "Unconfined", NULL};
static const char *const group_policies[] = {"Always", "OnRootMismatch", NULL};

static void check_seccomp(struct field_errors *fe, const val *context, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "seccompProfile");
	struct fpath local = fpath_child(&p, "localhostProfile");
	const val *profile = val_get(context, "seccompProfile");
	const val *file = val_get(profile, "localhostProfile");

	if (!profile)
		return;
	if (check_required(fe, profile, &p, "type"))
		check_choice(fe, profile, &p, "type", seccomp_types);
	if (!val_is(val_get(profile, "type"), "Localhost")) {
		if (file)
			field_error_add(fe, FIELD_INVALID, &local, file,
					"can only be set when the type is Localhost");
	} else if (!file) {
		field_error_add(fe, FIELD_REQUIRED, &local, NULL,
				"must be set when the type is Localhost");
	} else {
		check_descending_path(fe, profile, &p, "localhostProfile");
	}
}

static const char *check_windows_user(struct str s)
{
	size_t backslashes = 0;

	if (!s.n)
		return "cannot be empty";
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x20 || c == 0x7F)
			return "cannot contain control characters";
		backslashes += c == '\\';
	}
	return backslashes > 1 ? "cannot contain more than one backslash" : NULL;
}

static void check_windows(struct field_errors *fe, const val *context, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "windowsOptions");
	struct fpath spec_path = fpath_child(&p, "gmsaCredentialSpec");
	struct fpath user_path = fpath_child(&p, "runAsUserName");
	const val *options = val_get(context, "windowsOptions");
	const val *spec = val_get(options, "gmsaCredentialSpec");
	const val *user = val_get(options, "runAsUserName");
	const char *why = user ? check_windows_user(val_str(user)) : NULL;

	check_name(fe, options, &p, "gmsaCredentialSpecName", name_check_dns1123_subdomain);
	if (spec && (!val_str(spec).n || val_str(spec).n > GMSA_SPEC_MAX))
		field_error_add(fe, FIELD_INVALID, &spec_path, spec, "must have 1 to %d bytes",
				GMSA_SPEC_MAX);
	if (why)
		field_error_add(fe, FIELD_INVALID, &user_path, user, "%s", why);
}

static void check_common(struct field_errors *fe, const val *context, const struct fpath *path)
{
	check_range(fe, context, path, "runAsUser", 0, ID_MAX);
	check_range(fe, context, path, "runAsGroup", 0, ID_MAX);
	check_seccomp(fe, context, path);
	check_windows(fe, context, path);
}

static bool adds_sys_admin(const val *context)
{
	const val *add = val_path(context, "capabilities", "add", NULL);

	for (size_t i = 0; i < val_len(add); i++)
		if (val_is(val_at(add, i), "CAP_SYS_ADMIN"))
			return true;
	return false;
}

void podtemplate_check_security(struct field_errors *fe, const val *context,
				const struct fpath *path)
{
	const val *escalation = val_get(context, "allowPrivilegeEscalation");

	check_common(fe, context, path);
	check_choice(fe, context, path, "procMount", proc_mounts);
	if (!escalation || val_bool(escalation))
		return;
	if (val_bool(val_get(context, "privileged")))
		field_error_add(fe, FIELD_INVALID, path, context,
				"`privileged` true needs `allowPrivilegeEscalation` true");
	if (adds_sys_admin(context))
		field_error_add(
		    fe, FIELD_INVALID, path, context,
		    "the capability CAP_SYS_ADMIN needs `allowPrivilegeEscalation` true");
}

/* Segments of [a-z0-9_-], ends without '_' and '-', joined by dots or slashes. */
static const char *check_sysctl_name(struct str s)
{
	static const char message[] = "must be a sysctl's name of at most 253 characters "
				      "(as in 'net.core.somaxconn')";
	bool start = true;
	char last = '.';

	if (s.n > 253)
		return message;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool alnum = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
		bool separator = c == '.' || c == '/';

		if (!alnum && !separator && c != '-' && c != '_')
			return message;
		if ((start && !alnum) || (separator && (last == '-' || last == '_')))
			return message;
		start = separator;
		last = c;
	}
	return start || last == '-' || last == '_' ? message : NULL;
}

static void check_sysctls(struct field_errors *fe, const val *context, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "sysctls");
	const val *sysctls = val_get(context, "sysctls");
	struct strset names = strset_new(fe->a, val_len(sysctls));

	for (size_t i = 0; i < val_len(sysctls); i++) {
		struct fpath item = fpath_index(&list, i), p = fpath_child(&item, "name");
		const val *name = val_get(val_at(sysctls, i), "name");

		check_name_required(fe, val_at(sysctls, i), &item, "name", check_sysctl_name);
		if (val_str(name).n && !strset_add(&names, val_str(name), NULL))
			field_error_add(fe, FIELD_DUPLICATE, &p, name, "%s", "");
	}
}

static void check_groups(struct field_errors *fe, const val *context, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "supplementalGroups");
	const val *groups = val_get(context, "supplementalGroups");

	for (size_t i = 0; i < val_len(groups); i++) {
		struct fpath p = fpath_index(&list, i);
		int64_t id = val_int_or(val_at(groups, i), 0);

		if (id < 0 || id > ID_MAX)
			field_error_add(fe, FIELD_INVALID, &p, val_at(groups, i),
					"must be between 0 and %d, inclusive", ID_MAX);
	}
}

void podtemplate_check_pod_security(struct field_errors *fe, const val *spec,
				    const struct fpath *path)
{
	struct fpath p = fpath_child(path, "securityContext");
	struct fpath share = fpath_child(path, "shareProcessNamespace");
	const val *context = val_get(spec, "securityContext");

	check_common(fe, context, &p);
	check_range(fe, context, &p, "fsGroup", 0, ID_MAX);
	check_choice(fe, context, &p, "fsGroupChangePolicy", group_policies);
	check_groups(fe, context, &p);
	check_sysctls(fe, context, &p);
	if (val_bool(val_get(spec, "hostPID")) && val_bool(val_get(spec, "shareProcessNamespace")))
		field_error_add(fe, FIELD_INVALID, &share, val_get(spec, "shareProcessNamespace"),
				"cannot be enabled together with hostPID");
}
