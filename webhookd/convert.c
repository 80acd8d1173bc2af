/* SPDX-License-Identifier: Apache-2.0 */
#include "webhookd/convert.h"

#include "kube/json.h"
#include "rules/cloneset_convert.h"

#include <errno.h>
#include <string.h>

#define UID_MAX 128

static const char *const versions[] = {"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"};

/* One line per kind with more than one version. */
static const struct converter {
	const char *group, *kind;
	int (*convert)(arena *a, const val *object, const char *api_version, val *out,
		       struct err *e);
} converters[] = {
    {"apps.kruise.io", "CloneSet", cloneset_convert},
};

static int bad(struct err *e, const char *field, const char *why)
{
	return err_set(e, EINVAL, "ConversionReview: %s: %s", field, why);
}

static bool in_group(struct str api_version, const char *group)
{
	return str_has_prefix(api_version, group) && api_version.n > strlen(group) &&
	       api_version.p[strlen(group)] == '/';
}

static const struct converter *find(const val *object)
{
	struct str version = val_str(val_get(object, "apiVersion"));

	for (size_t i = 0; i < sizeof(converters) / sizeof(converters[0]); i++)
		if (val_is(val_get(object, "kind"), converters[i].kind) &&
		    in_group(version, converters[i].group))
			return &converters[i];
	return NULL;
}

/* As far as it is of use in a message. */
static char *text(arena *a, const val *v, size_t max)
{
	struct str s = val_str(v);
	size_t n = s.n < max ? s.n : max;

	while (n > 0 && n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--; /* not within a character */
	return arena_strndup(a, s.p ? s.p : "", n);
}

static int convert_one(arena *a, const val *object, const char *desired, val *out, struct err *e)
{
	const struct converter *c = find(object);
	const val *meta = val_get(object, "metadata");
	int r;

	if (!c)
		r = err_set(e, EINVAL, "this kind cannot be converted");
	else
		r = c->convert(a, object, desired, out, e);
	if (r == 0)
		return 0;
	return err_wrap(e, "%s %s/%s", text(a, val_get(object, "kind"), 63),
			text(a, val_get(meta, "namespace"), 63),
			text(a, val_get(meta, "name"), 253));
}

static int convert_all(arena *a, const val *objects, const char *desired, val *out, struct err *e)
{
	*out = val_array_sized(a, val_len(objects));
	for (size_t i = 0; i < val_len(objects); i++) {
		int r = convert_one(a, val_at(objects, i), desired, val_at_mut(out, i), e);

		if (r < 0)
			return r;
	}
	return 0;
}

static void answer(arena *a, val *response, const val *objects, const char *desired)
{
	struct err e = {0};
	val converted;
	int r = convert_all(a, objects, desired, &converted, &e);
	val *result = val_ensure_map(a, response, "result");

	val_set(a, result, "status", val_of_str(r < 0 ? "Failure" : "Success"));
	if (r < 0)
		val_set(a, result, "message", val_of_str(arena_printf(a, "%s", e.msg)));
	else
		val_set(a, response, "convertedObjects", converted);
}

int conversion_review(arena *a, const char *body, size_t n, struct buf *out, struct err *e)
{
	const char *api_version = NULL;
	const val *request, *objects;
	struct str uid, desired;
	val review, back = val_map();
	val *response;

	if (json_parse(a, body, n, &review, e) < 0)
		return err_wrap(e, "ConversionReview");
	if (!val_is(val_get(&review, "kind"), "ConversionReview"))
		return bad(e, "kind", "must be ConversionReview");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (val_is(val_get(&review, "apiVersion"), versions[i]))
			api_version = versions[i];
	if (!api_version)
		return bad(e, "apiVersion",
			   "must be apiextensions.k8s.io/v1 or apiextensions.k8s.io/v1beta1");
	request = val_get(&review, "request");
	uid = val_str(val_get(request, "uid"));
	desired = val_str(val_get(request, "desiredAPIVersion"));
	objects = val_get(request, "objects");
	if (uid.n == 0 || uid.n > UID_MAX)
		return bad(e, "request.uid", "missing, or too long");
	if (desired.n == 0)
		return bad(e, "request.desiredAPIVersion", "missing");
	if (!val_is_array(objects))
		return bad(e, "request.objects", "must be a list");

	val_set(a, &back, "kind", val_of_str("ConversionReview"));
	val_set(a, &back, "apiVersion", val_of_str(api_version));
	response = val_ensure_map(a, &back, "response");
	val_set(a, response, "uid", val_of_strn(uid));
	answer(a, response, objects, arena_strndup(a, desired.p, desired.n));
	json_print(out, &back, 0);
	return 0;
}
