/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/rest_int.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const content_types[] = {
    [BODY_JSON] = "application/json",
    [BODY_JSON_PATCH] = "application/json-patch+json",
    [BODY_MERGE] = "application/merge-patch+json",
    [BODY_STRATEGIC] = "application/strategic-merge-patch+json",
};

uint64_t client_mono(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

void client_wake(struct k8s_client *c)
{
	sd_event_source_set_enabled(c->pump, SD_EVENT_ONESHOT);
}

void client_count(struct k8s_client *c, const char *method, int code)
{
	for (size_t i = 0; i < c->n_counts; i++) {
		if (c->counts[i].code == code && strcmp(c->counts[i].method, method) == 0) {
			c->counts[i].n++;
			return;
		}
	}
	if (c->n_counts < sizeof(c->counts) / sizeof(c->counts[0]))
		c->counts[c->n_counts++] = (struct count){method, code, 1};
}

/* The headers of a kind of body, made once a client. */
struct curl_slist *client_headers(struct k8s_client *c, enum body_type type)
{
	if (c->headers[type])
		return c->headers[type];
	struct curl_slist *l = curl_slist_append(NULL, "Accept: application/json");
	l = curl_slist_append(l, "Expect:"); /* no waiting for "100 Continue" */
	if (content_types[type]) {
		_cleanup_free_ char *line = xasprintf("Content-Type: %s", content_types[type]);
		l = curl_slist_append(l, line);
	}
	c->headers[type] = l;
	return l;
}

static size_t on_body(char *p, size_t size, size_t n, void *userdata)
{
	struct k8s_call *call = userdata;
	struct buf *body = &call->t.slot->body;
	n *= size;
	if (n > call->max_body || body->len > call->max_body - n) {
		call->too_large = true;
		return 0;
	}
	buf_add(body, p, n);
	return n;
}

/* The last moment: the connection stands, libcurl is about to send. */
static int before_request(void *userdata, char *to, char *from, int to_port, int from_port)
{
	struct k8s_call *call = userdata;
	const struct k8s_client *c = call->t.client;
	(void)to;
	(void)from;
	(void)to_port;
	(void)from_port;
	if (strcmp(call->method, "GET") == 0 || c->may_write(c->may_write_data))
		return CURL_PREREQFUNC_OK;
	if (!call->failure)
		call->failure = xstrdup("not sent: this process may not write any more");
	return CURL_PREREQFUNC_ABORT;
}

static void set_up(struct k8s_call *call)
{
	struct k8s_client *c = call->t.client;
	CURL *h = call->t.slot->easy;
	_cleanup_free_ char *url = xasprintf("%s%s", c->base_url, call->path);
	curl_easy_setopt(h, CURLOPT_URL, url);
	curl_easy_setopt(h, CURLOPT_HTTPHEADER,
			 call->headers ? call->headers : client_headers(c, call->type));
	if (call->body) {
		curl_easy_setopt(h, CURLOPT_POST, 1L);
		curl_easy_setopt(h, CURLOPT_POSTFIELDS, call->body);
		curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body_len);
	} else {
		curl_easy_setopt(h, CURLOPT_HTTPGET, 1L);
	}
	curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST,
			 strcmp(call->method, "GET") == 0 ? NULL : call->method);
	curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)(c->timeout_usec / 1000));
	curl_easy_setopt(h, CURLOPT_LOW_SPEED_TIME, 0L);
	curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(h, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, c->may_write ? before_request : NULL);
	curl_easy_setopt(h, CURLOPT_PREREQDATA, call);
}

static void start(struct k8s_call *call)
{
	struct k8s_client *c = call->t.client;
	call->state = CALL_RUNNING;
	c->running++;
	struct err e = {0};
	bool renewed;
	if (!call->failure && auth_renew(c, false, &renewed, &e) < 0)
		call->failure = xstrdup(e.msg);
	if (call->failure) {
		transfer_finish(&call->t, CURLE_LOGIN_DENIED);
		return;
	}
	call->t.slot = slot_get(c);
	set_up(call);
	transfer_start(&call->t);
}

/* Takes a token of the rate limit; otherwise sees to it that we come back when there is one. */
static bool may_start(struct k8s_client *c)
{
	if (c->running >= c->max_in_flight)
		return false;
	if (c->qps <= 0)
		return true;
	uint64_t now = client_mono();
	c->tokens += (double)(now - c->tokens_usec) * c->qps / 1e6;
	if (c->tokens > c->burst)
		c->tokens = c->burst;
	c->tokens_usec = now;
	if (c->tokens >= 1) {
		c->tokens -= 1;
		return true;
	}
	uint64_t wait = (uint64_t)((1 - c->tokens) / c->qps * 1e6) + 1;
	sd_event_source_set_time(c->qps_timer, now + wait);
	sd_event_source_set_enabled(c->qps_timer, SD_EVENT_ONESHOT);
	return false;
}

void call_pump(struct k8s_client *c)
{
	for (struct k8s_call *call; (call = TAILQ_FIRST(&c->queue)) && may_start(c);) {
		TAILQ_REMOVE(&c->queue, call, queue);
		start(call);
	}
}

void call_free(struct k8s_call *call)
{
	struct k8s_client *c = call->t.client;
	if (call->state == CALL_QUEUED)
		TAILQ_REMOVE(&c->queue, call, queue);
	if (call->state == CALL_RUNNING)
		c->running--;
	transfer_stop(&call->t);
	LIST_REMOVE(call, all);
	c->calls--;
	sd_event_source_disable_unref(call->timer);
	curl_slist_free_all(call->headers);
	free(call->failure);
	free(call->path);
	free(call->body);
	free(call);
}

static int on_wait_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	struct k8s_call *call = userdata;
	struct k8s_client *c = call->t.client;
	call->state = CALL_QUEUED;
	TAILQ_INSERT_HEAD(&c->queue, call, queue); /* it is older than what waits */
	client_wake(c);
	return 0;
}

/* False when the timer cannot be set: the answer at hand is then final. */
static bool try_again(struct k8s_call *call, int64_t ms)
{
	struct k8s_client *c = call->t.client;
	uint64_t due = client_mono() + (uint64_t)ms * 1000;
	if (!call->timer) {
		if (sd_event_add_time(c->loop, &call->timer, CLOCK_MONOTONIC, due, 1, on_wait_over,
				      call) < 0)
			return false;
	} else {
		sd_event_source_set_time(call->timer, due);
		sd_event_source_set_enabled(call->timer, SD_EVENT_ONESHOT);
	}
	transfer_stop(&call->t);
	call->state = CALL_WAITING;
	return true;
}

static void answer(struct k8s_call *call, const struct answer *a)
{
	struct k8s_client *c = call->t.client;
	struct k8s_response r;
	_cleanup_free_ char *text = NULL;
	response_make(c, a, &r, &text);
	if (call->failure)
		r.error = call->failure;
	call->state = CALL_ANSWERING;
	if (call->done)
		call->done(&r, call->userdata);
	else if (r.error)
		log_warn("%s %s: %s", call->method, call->path, r.error);
	response_release(&r);
	call_free(call);
}

/* 401: credentials may have been rotated under our feet. */
static bool reauthenticate(struct k8s_call *call, long code)
{
	struct err e = {0};
	bool renewed = false;
	if (code != 401 || call->reauthenticated)
		return false;
	call->reauthenticated = true;
	if (auth_renew(call->t.client, true, &renewed, &e) < 0)
		log_warn("%s", e.msg);
	return renewed;
}

static void on_finished(struct transfer *t)
{
	struct k8s_call *call = (struct k8s_call *)t;
	struct k8s_client *c = t->client;
	struct buf none = {0};
	curl_off_t wait = 0;
	struct answer a = {.result = t->result, .body = t->slot ? &t->slot->body : &none};
	a.too_large = call->too_large;
	c->running--;
	call->state = CALL_WAITING;
	if (t->slot) {
		curl_easy_getinfo(t->slot->easy, CURLINFO_RESPONSE_CODE, &a.code);
		curl_easy_getinfo(t->slot->easy, CURLINFO_RETRY_AFTER, &wait);
		a.retry_after = (long)wait;
		a.detail = t->slot->error;
	}
	client_count(c, call->method, t->result == CURLE_OK ? (int)a.code : 0);

	int64_t ms = t->result == CURLE_OK && reauthenticate(call, a.code)
			 ? 0
			 : retry_delay_ms(call, t->result, a.code, a.retry_after);
	if (ms >= 0) {
		log_debug("%s %s: code %ld, %s; again in %lld ms", call->method, call->path, a.code,
			  curl_easy_strerror(t->result), (long long)ms);
		call->tries++;
		call->timed_out_once |= t->result == CURLE_OPERATION_TIMEDOUT;
		if (try_again(call, ms))
			return;
	}
	answer(call, &a);
}

void call_submit(struct k8s_call *call)
{
	struct k8s_client *c = call->t.client;
	call->t.finished = on_finished;
	call->state = CALL_QUEUED;
	LIST_INSERT_HEAD(&c->all_calls, call, all);
	c->calls++;
	TAILQ_INSERT_TAIL(&c->queue, call, queue);
	if (!c->dispatching)
		client_wake(c);
}

void k8s_call_cancel(struct k8s_call *call)
{
	/* in its own callback it is over anyway */
	if (call && call->state != CALL_ANSWERING) {
		struct k8s_client *c = call->t.client;
		call_free(call);
		if (!c->dispatching)
			client_wake(c);
	}
}
