/* SPDX-License-Identifier: Apache-2.0 */
#include "webhookd/admission.h"

#include "kube/base64.h"
#include "kube/json.h"

#include <errno.h>
#include <string.h>

static const char *const versions[] = {"admission.k8s.io/v1", "admission.k8s.io/v1beta1"};
static const char *const operations[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};

static const char *one_of(const val *v, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (val_is(v, list[i]))
			return list[i];
	}
	return NULL;
}

static int bad(struct err *e, const char *field, const char *why)
{
	return err_set(e, EINVAL, "AdmissionReview: %s: %s", field, why);
}

static const val *object_or_null(const val *v)
{
	return val_is_map(v) ? v : NULL;
}

int admission_decode(arena *a, const char *body, size_t n, struct admission_request *out,
		     struct err *e)
{
	val *review = arena_alloc(a, sizeof(*review));
	int r = json_parse(a, body, n, review, e);
	if (r < 0)
		return err_wrap(e, "AdmissionReview");
	*out = (struct admission_request){0};
	if (!val_is(val_get(review, "kind"), "AdmissionReview"))
		return bad(e, "kind", "must be AdmissionReview");
	out->api_version = one_of(val_get(review, "apiVersion"), versions, 2);
	if (!out->api_version)
		return bad(e, "apiVersion",
			   "must be admission.k8s.io/v1 or admission.k8s.io/v1beta1");
	const val *q = val_get(review, "request");
	if (!val_is_map(q))
		return bad(e, "request", "missing");
	out->uid = val_str(val_get(q, "uid"));
	if (out->uid.n == 0 || out->uid.n > 128)
		return bad(e, "request.uid", "missing, or too long");
	out->operation = str_of(one_of(val_get(q, "operation"), operations, 4));
	if (!out->operation.p)
		return bad(e, "request.operation", "must be CREATE, UPDATE, DELETE or CONNECT");
	out->ns = val_str(val_get(q, "namespace"));
	out->name = val_str(val_get(q, "name"));
	const val *resource = val_get(q, "resource");
	out->group = val_str(val_get(resource, "group"));
	out->version = val_str(val_get(resource, "version"));
	out->resource = val_str(val_get(resource, "resource"));
	if (!out->resource.p)
		return bad(e, "request.resource", "missing");
	out->kind = val_str(val_path(q, "kind", "kind", NULL));
	out->sub_resource = val_str(val_get(q, "subResource"));
	out->object = object_or_null(val_get(q, "object"));
	out->old_object = object_or_null(val_get(q, "oldObject"));
	out->dry_run = val_bool(val_get(q, "dryRun"));
	if (!out->object && (str_is(out->operation, "CREATE") || str_is(out->operation, "UPDATE")))
		return bad(e, "request.object", "missing");
	if (!out->old_object && str_is(out->operation, "UPDATE"))
		return bad(e, "request.oldObject", "missing");
	return 0;
}

static val causes_of(arena *a, const struct field_errors *errors)
{
	val list = val_array();
	size_t n = errors->n < FIELD_ERRORS_MAX ? errors->n : FIELD_ERRORS_MAX;
	for (size_t i = 0; i < n; i++) {
		const struct field_error *fe = &errors->v[i];
		_cleanup_buf_ struct buf text = {0};
		field_error_print_body(&text, fe);
		val cause = val_map();
		val_set(a, &cause, "reason", val_of_str(field_error_reason(fe->type)));
		val_set(a, &cause, "field", val_of_str(fe->path));
		val_set(a, &cause, "message", val_of_str(arena_strndup(a, text.p, text.len)));
		val_push(a, &list, cause);
	}
	return list;
}

/* A refusal that names no field is one cause for the object as a whole: kubectl shows causes only.
 */
static val whole_object(arena *a, const char *message)
{
	val list = val_array(), cause = val_map();
	val_set(a, &cause, "reason", val_of_str("FieldValueInvalid"));
	val_set(a, &cause, "message", val_of_str(message));
	val_push(a, &list, cause);
	return list;
}

static val status_of(arena *a, const struct admission_request *request,
		     const struct admission_answer *answer)
{
	val status = val_map();
	bool has_causes = answer->causes && answer->causes->n;
	val_set(a, &status, "status", val_of_str("Failure"));
	val_set(a, &status, "message", val_of_str(answer->message));
	val_set(a, &status, "reason", val_of_str(answer->reason));
	val_set(a, &status, "code", val_of_int(answer->code));
	val *details = val_ensure_map(a, &status, "details");
	val_set(a, details, "group", val_of_strn(request->group));
	val_set(a, details, "kind", val_of_strn(request->kind));
	val_set(a, details, "name", val_of_strn(request->name));
	val_set(a, details, "causes",
		has_causes ? causes_of(a, answer->causes) : whole_object(a, answer->message));
	return status;
}

void admission_encode(arena *a, const struct admission_request *request,
		      const struct admission_answer *answer, struct buf *out)
{
	val review = val_map();
	val_set(a, &review, "kind", val_of_str("AdmissionReview"));
	val_set(a, &review, "apiVersion", val_of_str(request->api_version));
	val *response = val_ensure_map(a, &review, "response");
	val_set(a, response, "uid", val_of_strn(request->uid));
	val_set(a, response, "allowed", val_of_bool(answer->allowed));
	if (!answer->allowed) {
		val_set(a, response, "status", status_of(a, request, answer));
	} else if (answer->patch && val_len(answer->patch)) {
		_cleanup_buf_ struct buf json = {0};
		_cleanup_buf_ struct buf text = {0};
		json_print(&json, answer->patch, 0);
		base64_encode(&text, json.p, json.len);
		val_set(a, response, "patchType", val_of_str("JSONPatch"));
		val_set(a, response, "patch", val_of_strdup(a, (struct str){text.p, text.len}));
	}
	json_print(out, &review, 0);
}

struct admission_answer admission_allow(void)
{
	return (struct admission_answer){.allowed = true};
}

struct admission_answer admission_refuse(int code, const char *reason, const char *message)
{
	return (struct admission_answer){.code = code, .reason = reason, .message = message};
}

struct admission_answer admission_invalid(arena *a, const struct field_errors *errors)
{
	_cleanup_buf_ struct buf text = {0};
	field_errors_print(&text, errors);
	struct admission_answer answer =
	    admission_refuse(422, "Invalid", arena_strndup(a, buf_str(&text), text.len));
	answer.causes = errors;
	return answer;
}
