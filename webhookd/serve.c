/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "webhookd/convert.h"
#include "webhookd/handlers.h"
#include "webhookd/webhookd.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct store *webhookd_store(struct webhookd *w)
{
	if (!w->store && store_open_reader(&w->store, child_rundir(), NULL) < 0)
		w->store = NULL;
	return w->store;
}

static struct store_txn *begin_store(void *userdata)
{
	struct webhookd *w = userdata;
	if (!w->txn && webhookd_store(w) && store_begin(w->store, &w->txn, NULL) < 0)
		w->txn = NULL;
	return w->txn;
}

static void refuse(struct http_reply *reply, int code, const char *text)
{
	reply->code = code;
	buf_printf(&reply->body, "%s\n", text);
}

static void admit(struct webhookd *w, const struct webhook_path *path,
		  const struct http_request *request, struct http_reply *reply)
{
	_cleanup_arena_ arena *a = arena_new();
	struct err e = {0};
	struct admission_request q;
	if (admission_decode(a, request->body, request->body_len, &q, &e) < 0) {
		refuse(reply, 400, e.msg);
		return;
	}
	const struct admission_env env = {.gates = w->gates, .store = begin_store, .userdata = w};
	struct admission_answer answer = handler_find(path)(a, &q, &env);
	if (!answer.allowed)
		log_debug("%s %.*s/%.*s refused: %s", path->path, STR_ARG(q.ns), STR_ARG(q.name),
			  answer.message);
	admission_encode(a, &q, &answer, &reply->body);
	reply->code = 200;
	reply->content_type = "application/json";
	if (w->txn) {
		store_end(w->txn);
		w->txn = NULL;
	}
}

static void convert(const struct http_request *request, struct http_reply *reply)
{
	_cleanup_arena_ arena *a = arena_new();
	struct err e = {0};
	if (conversion_review(a, request->body, request->body_len, &reply->body, &e) < 0) {
		refuse(reply, 400, e.msg);
		return;
	}
	reply->code = 200;
	reply->content_type = "application/json";
}

static double seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void webhookd_serve(const struct http_request *request, struct http_reply *reply, void *userdata)
{
	struct webhookd *w = userdata;
	char code[16];
	if (strcmp(request->path, "/healthz") == 0) { /* the request to ourselves */
		refuse(reply, 200, "ok");
		return;
	}
	const struct webhook_path *path = webhook_path_find(str_of(request->path));
	bool conversion = strcmp(request->path, CONVERT_PATH) == 0;
	double began = seconds();
	if (!path && !conversion)
		refuse(reply, 404, "no such path");
	else if (strcmp(request->method, "POST") != 0)
		refuse(reply, 405, "the method must be POST");
	else if (conversion)
		convert(request, reply);
	else
		admit(w, path, request, reply);
	const char *label = path ? path->path : conversion ? CONVERT_PATH : "unknown";
	snprintf(code, sizeof(code), "%d", reply->code);
	metric_add(w->requests, 1, label, code);
	metric_observe(w->latency, seconds() - began, label);
}
