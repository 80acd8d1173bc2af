/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "kube/rest_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What of a foreign error body is shown. */
#define EXCERPT 200

bool k8s_ok(const struct k8s_response *r)
{
	return r->code >= 200 && r->code < 300 && !r->error;
}

bool k8s_is_not_found(const struct k8s_response *r)
{
	return r->code == 404;
}

bool k8s_is_conflict(const struct k8s_response *r)
{
	return r->code == 409 && strcmp(r->reason, "Conflict") == 0;
}

bool k8s_is_already_exists(const struct k8s_response *r)
{
	return r->code == 409 && strcmp(r->reason, "AlreadyExists") == 0;
}

bool k8s_is_gone(const struct k8s_response *r)
{
	return r->code == 410;
}

bool k8s_is_other_uid(const struct k8s_response *r)
{
	return r->code == 422 && val_find(r->causes, "field", str_of("metadata.uid"));
}

static const char *code_name(long code)
{
	static const struct {
		long code;
		const char *name;
	} names[] = {
	    {400, "Bad Request"},
	    {401, "Unauthorized"},
	    {403, "Forbidden"},
	    {404, "Not Found"},
	    {405, "Method Not Allowed"},
	    {406, "Not Acceptable"},
	    {409, "Conflict"},
	    {410, "Gone"},
	    {413, "Request Too Large"},
	    {415, "Unsupported Media Type"},
	    {422, "Unprocessable Entity"},
	    {429, "Too Many Requests"},
	    {500, "Internal Server Error"},
	    {502, "Bad Gateway"},
	    {503, "Service Unavailable"},
	    {504, "Gateway Timeout"},
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].code == code)
			return names[i].name;
	}
	return "";
}

char *response_transport_error(const struct k8s_client *c, CURLcode result, const char *detail)
{
	const char *what = detail && *detail ? detail : curl_easy_strerror(result);
	const char *server = c->config->server;
	switch (result) {
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
		return xasprintf("the certificate of the API server %s is not trusted: %s", server,
				 what);
	case CURLE_SSL_CERTPROBLEM:
		return xasprintf("the client certificate for %s cannot be used: %s", server, what);
	case CURLE_OPERATION_TIMEDOUT:
		return xasprintf("no answer from the API server %s in time: %s", server, what);
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_SSL_CONNECT_ERROR:
		return xasprintf("cannot reach the API server %s: %s", server, what);
	default:
		return xasprintf("the call to the API server %s failed: %s", server, what);
	}
}

/* An answer that is no Status: some proxy's page, or plain text. */
static char *foreign_error(long code, const struct buf *body)
{
	char text[EXCERPT + 1];
	size_t n = 0;
	for (size_t i = 0; i < body->len && n < EXCERPT; i++) {
		unsigned char ch = (unsigned char)body->p[i];
		bool blank = ch < 0x20 || ch == 0x7f || ch == ' ';
		if (blank && (n == 0 || text[n - 1] == ' '))
			continue;
		text[n++] = blank ? ' ' : (char)ch;
	}
	while (n > 0 && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	const char *name = code_name(code);
	return xasprintf("the API server answered %ld%s%s%s%s", code, *name ? " " : "", name,
			 n ? ": " : "", text);
}

static void free_body(void *p)
{
	free(p);
}

/* The arena takes the bytes over, since the object points into them. */
static void give_body(struct k8s_response *r, struct buf *body)
{
	if (!body->p)
		return;
	r->body = body->p;
	r->body_len = body->len;
	if (!msgpack_zone_push_finalizer(r->arena, free_body, body->p))
		abort();
	*body = (struct buf){0};
}

static void read_status(struct k8s_response *r, long code, char **text)
{
	const val *status = r->object;
	if (!val_is(val_get(status, "kind"), "Status")) {
		*text =
		    foreign_error(code, &(struct buf){(char *)(uintptr_t)r->body, r->body_len, 0});
		r->error = *text;
		return;
	}
	const char *message = val_cstr(r->arena, val_get(status, "message"));
	const char *reason = val_cstr(r->arena, val_get(status, "reason"));
	if (reason)
		r->reason = reason;
	if (message && *message) {
		r->error = message;
	} else {
		*text = foreign_error(code, &(struct buf){0});
		r->error = *text;
	}
	const val *details = val_get(status, "details");
	const val *causes = val_get(details, "causes");
	if (val_is_array(causes))
		r->causes = causes;
	if (!r->retry_after) {
		int64_t s = val_int_or(val_get(details, "retryAfterSeconds"), 0);
		r->retry_after = s > 0 && s < 86400 ? (int)s : 0;
	}
}

static void parse_body(const struct answer *a, struct k8s_response *r, char **text)
{
	bool ok = a->code >= 200 && a->code < 300;
	r->arena = arena_new();
	give_body(r, a->body);
	if (r->body_len) {
		val *object = arena_alloc(r->arena, sizeof(*object));
		struct err e = {0};
		if (json_parse(r->arena, r->body, r->body_len, object, &e) == 0) {
			r->object = object;
		} else if (ok) {
			*text = xasprintf("the API server's answer cannot be read: %s", e.msg);
			r->error = *text;
			return;
		}
	}
	if (!ok)
		read_status(r, a->code, text);
}

void response_make(const struct k8s_client *c, const struct answer *a, struct k8s_response *r,
		   char **text)
{
	*r = (struct k8s_response){.reason = "", .code = (int)a->code};
	*text = NULL;
	if (a->retry_after > 0)
		r->retry_after = a->retry_after < 86400 ? (int)a->retry_after : 86400;
	if (a->too_large) {
		*text = xasprintf("the API server's answer is larger than allowed");
	} else if (a->result != CURLE_OK) {
		*text = response_transport_error(c, a->result, a->detail);
		r->code = 0;
	} else {
		parse_body(a, r, text);
		return;
	}
	r->error = *text;
}

arena *k8s_response_steal(const struct k8s_response *r)
{
	/* responses live in the call machinery, never in constant memory */
	struct k8s_response *own = (struct k8s_response *)(uintptr_t)r;
	arena *a = own->arena;
	own->arena = NULL;
	return a;
}

void response_release(struct k8s_response *r)
{
	if (r->arena)
		arena_free(r->arena);
	r->arena = NULL;
}
