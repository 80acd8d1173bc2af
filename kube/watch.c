/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/rest_int.h"

#include <stdlib.h>
#include <string.h>

/* Bookmarks come every minute: a stream with nothing at all for this long is dead. */
#define STALL_SECONDS 180L
#define MAX_ERROR_BODY ((size_t)1 << 20)

static size_t on_bytes(char *p, size_t size, size_t n, void *userdata)
{
	struct k8s_watch *w = userdata;
	n *= size;
	if (!w->code)
		curl_easy_getinfo(w->t.slot->easy, CURLINFO_RESPONSE_CODE, &w->code);
	size_t max = w->code == 200 ? MAX_WATCH_LINE : MAX_ERROR_BODY;
	if (w->pending.len > max) {
		w->too_long = true;
		return 0;
	}
	buf_add(&w->pending, p, n);
	if (w->code == 200 && !w->readable) {
		w->readable = true;
		TAILQ_INSERT_TAIL(&w->t.client->readable, w, ready);
	}
	return n;
}

void watch_free(struct k8s_watch *w)
{
	if (w->readable)
		TAILQ_REMOVE(&w->t.client->readable, w, ready);
	transfer_stop(&w->t);
	LIST_REMOVE(w, all);
	buf_free(&w->pending);
	free(w->failure);
	free(w->path);
	free(w);
}

/* Hands out the whole lines of pending. The watch may be gone afterwards. */
void watch_deliver(struct k8s_watch *w)
{
	size_t start = 0;
	w->delivering = true;
	while (!w->stopped && !w->t.client->dead) {
		char *from = w->pending.p + w->scanned;
		char *end = memchr(from, '\n', w->pending.len - w->scanned);
		if (!end)
			break;
		const char *line = w->pending.p + start;
		size_t n = (size_t)(end - line);
		start = w->scanned = (size_t)(end - w->pending.p) + 1;
		if (n)
			w->on_line(line, n, w->userdata);
	}
	w->delivering = false;
	if (w->stopped) {
		watch_free(w);
		return;
	}
	if (start) {
		memmove(w->pending.p, w->pending.p + start, w->pending.len - start);
		w->pending.len -= start;
	}
	w->scanned = w->pending.len;
	if (w->pending.len == 0 && w->pending.cap > ((size_t)1 << 20))
		buf_free(&w->pending);
}

static void on_finished(struct transfer *t)
{
	struct k8s_watch *w = (struct k8s_watch *)t;
	struct k8s_client *c = t->client;
	_cleanup_free_ char *text = NULL;
	struct k8s_response r = {0};
	struct answer a = {.result = t->result, .body = &w->pending, .too_large = w->too_long};
	if (t->slot) {
		curl_easy_getinfo(t->slot->easy, CURLINFO_RESPONSE_CODE, &a.code);
		a.detail = t->slot->error;
	}
	client_count(c, "GET", t->result == CURLE_OK ? (int)a.code : 0);
	if (a.code == 401) {
		bool renewed;
		(void)auth_renew(c, true, &renewed, NULL); /* for the caller's next try */
	}
	bool normal = a.code == 200 && t->result == CURLE_OK;
	if (!normal)
		response_make(c, &a, &r, &text);
	const char *error = w->failure ? w->failure : normal ? NULL : r.error;
	w->delivering = true;
	w->on_end((int)a.code, error, w->userdata);
	w->delivering = false;
	response_release(&r);
	watch_free(w);
}

static void start(struct k8s_watch *w)
{
	struct k8s_client *c = w->t.client;
	struct err e = {0};
	bool renewed;
	if (auth_renew(c, false, &renewed, &e) < 0) {
		w->failure = xstrdup(e.msg);
		transfer_finish(&w->t, CURLE_LOGIN_DENIED);
		return;
	}
	w->t.slot = slot_get(c);
	CURL *h = w->t.slot->easy;
	_cleanup_free_ char *url = xasprintf("%s%s", c->base_url, w->path);
	curl_easy_setopt(h, CURLOPT_URL, url);
	curl_easy_setopt(h, CURLOPT_HTTPHEADER, client_headers(c, BODY_NONE));
	curl_easy_setopt(h, CURLOPT_HTTPGET, 1L);
	curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, NULL);
	curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, 0L);
	curl_easy_setopt(h, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(h, CURLOPT_LOW_SPEED_TIME, STALL_SECONDS);
	curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(h, CURLOPT_WRITEDATA, w);
	transfer_start(&w->t);
}

struct k8s_watch *k8s_watch_start(struct k8s_client *c, const struct k8s_resource *r,
				  const char *ns, const char *query, k8s_line_fn on_line,
				  k8s_end_fn on_end, void *userdata)
{
	struct k8s_watch *w = xcalloc(1, sizeof(*w));
	struct buf path = {0};
	k8s_path(&path, r, ns, NULL, NULL);
	buf_puts(&path, "?watch=1");
	if (query && *query)
		buf_printf(&path, "&%s", query);
	w->path = path.p;
	w->t.client = c;
	w->t.finished = on_finished;
	w->on_line = on_line;
	w->on_end = on_end;
	w->userdata = userdata;
	LIST_INSERT_HEAD(&c->all_watches, w, all);
	start(w);
	return w;
}

void k8s_watch_stop(struct k8s_watch *w)
{
	if (!w)
		return;
	if (w->delivering) {
		w->stopped = true; /* freed when its callback has returned */
		return;
	}
	watch_free(w);
}
