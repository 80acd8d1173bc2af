/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of probes and lifecycle hooks. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"

static const char *const schemes[] = {"HTTP", "HTTPS", NULL};

static const char *check_header_name(struct str s)
{
	static const char message[] =
	    "must consist of letters, digits and '-' (as in 'X-Header-Name')";

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-'))
			return message;
	}
	return s.n ? NULL : message;
}

static void check_port(struct field_errors *fe, const val *action, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "port");
	const val *port = val_get(action, "port");
	const char *why;

	if (!val_is_str(port)) {
		check_range(fe, action, path, "port", 1, 65535);
		return;
	}
	why = name_check_port(val_str(port));
	if (why)
		field_error_add(fe, FIELD_INVALID, &p, port, "%s", why);
}

static void check_exec(struct field_errors *fe, const val *action, const struct fpath *path)
{
	check_required(fe, action, path, "command");
}

static void check_http(struct field_errors *fe, const val *action, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "httpHeaders");
	const val *headers = val_get(action, "httpHeaders");

	check_port(fe, action, path);
	check_choice(fe, action, path, "scheme", schemes);
	for (size_t i = 0; i < val_len(headers); i++) {
		struct fpath item = fpath_index(&list, i);

		check_name_required(fe, val_at(headers, i), &item, "name", check_header_name);
	}
}

static void check_grpc(struct field_errors *fe, const val *action, const struct fpath *path)
{
	check_range(fe, action, path, "port", 1, 65535);
}

static void check_sleep(struct field_errors *fe, const val *action, const struct fpath *path)
{
	check_not_negative(fe, action, path, "seconds");
}

static const struct {
	const char *name;
	void (*check)(struct field_errors *fe, const val *action, const struct fpath *path);
} handlers[] = {
    {"exec", check_exec}, {"httpGet", check_http}, {"tcpSocket", check_port},
    {"grpc", check_grpc}, {"sleep", check_sleep},
};

/* Exactly one kind of action. */
static void check_handler(struct field_errors *fe, const val *handler, const struct fpath *path)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		struct fpath p = fpath_child(path, handlers[i].name);
		const val *action = val_get(handler, handlers[i].name);

		if (!action)
			continue;
		if (n++)
			field_error_add(fe, FIELD_FORBIDDEN, &p, NULL,
					"may not specify more than 1 handler type");
		else
			handlers[i].check(fe, action, &p);
	}
	if (!n)
		field_error_add(fe, FIELD_REQUIRED, path, NULL, "must specify a handler type");
}

static void check_probe(struct field_errors *fe, const val *container, const struct fpath *path,
			const char *name, bool success_is_one)
{
	static const char *const numbers[] = {"initialDelaySeconds", "timeoutSeconds",
					      "periodSeconds", "successThreshold",
					      "failureThreshold"};
	struct fpath p = fpath_child(path, name), success = fpath_child(&p, "successThreshold");
	const val *probe = val_get(container, name);
	const val *threshold = val_get(probe, "successThreshold");

	if (!probe)
		return;
	check_handler(fe, probe, &p);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		check_not_negative(fe, probe, &p, numbers[i]);
	if (success_is_one && val_int_or(threshold, 0) != 1)
		field_error_add(fe, FIELD_INVALID, &success, threshold, "must be 1");
	if (val_get(probe, "terminationGracePeriodSeconds"))
		check_range(fe, probe, &p, "terminationGracePeriodSeconds", 1, INT64_MAX);
}

void podtemplate_check_probes(struct field_errors *fe, const val *container,
			      const struct fpath *path)
{
	static const char *const hooks[] = {"postStart", "preStop"};
	struct fpath lifecycle = fpath_child(path, "lifecycle");

	for (size_t i = 0; i < 2; i++) {
		struct fpath p = fpath_child(&lifecycle, hooks[i]);
		const val *hook = val_path(container, "lifecycle", hooks[i], NULL);

		if (hook)
			check_handler(fe, hook, &p);
	}
	check_probe(fe, container, path, "livenessProbe", true);
	check_probe(fe, container, path, "startupProbe", true);
	check_probe(fe, container, path, "readinessProbe", false);
}
