/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/rest_int.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct sock {
	struct k8s_client *client;
	sd_event_source *source;
};

/* Moves what libcurl has finished to our list. */
static void collect(struct k8s_client *c)
{
	int left;
	for (CURLMsg *m; (m = curl_multi_info_read(c->multi, &left));) {
		if (m->msg != CURLMSG_DONE)
			continue;
		struct transfer *t = NULL;
		CURLcode result = m->data.result;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
		curl_multi_remove_handle(c->multi, m->easy_handle);
		long opened = 0;
		if (curl_easy_getinfo(t->slot->easy, CURLINFO_NUM_CONNECTS, &opened) == CURLE_OK)
			c->connections += (uint64_t)opened;
		transfer_finish(t, result);
	}
}

void client_dispatch(struct k8s_client *c)
{
	if (c->dispatching)
		return;
	c->dispatching = true;
	collect(c);
	while (!c->dead) {
		struct k8s_watch *w = TAILQ_FIRST(&c->readable);
		if (w) {
			TAILQ_REMOVE(&c->readable, w, ready);
			w->readable = false;
			watch_deliver(w);
			continue;
		}
		struct transfer *t = TAILQ_FIRST(&c->finished);
		if (!t)
			break;
		TAILQ_REMOVE(&c->finished, t, link);
		t->listed = false;
		t->finished(t);
	}
	c->dispatching = false;
	if (c->dead)
		client_destroy(c);
	else
		call_pump(c);
}

static void act(struct k8s_client *c, curl_socket_t fd, int mask)
{
	int running;
	CURLMcode rc = curl_multi_socket_action(c->multi, fd, mask, &running);
	if (rc != CURLM_OK)
		log_warn("libcurl: %s", curl_multi_strerror(rc));
	client_dispatch(c);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	struct sock *s = userdata;
	int mask = 0;
	if (revents & EPOLLIN)
		mask |= CURL_CSELECT_IN;
	if (revents & EPOLLOUT)
		mask |= CURL_CSELECT_OUT;
	if (revents & (EPOLLERR | EPOLLHUP))
		mask |= CURL_CSELECT_ERR;
	act(s->client, fd, mask);
	return 0;
}

static int on_curl_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	act(userdata, CURL_SOCKET_TIMEOUT, 0);
	return 0;
}

static int socket_changed(CURL *easy, curl_socket_t fd, int what, void *userdata, void *socket_data)
{
	(void)easy;
	struct k8s_client *c = userdata;
	struct sock *s = socket_data;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			sd_event_source_disable_unref(s->source);
		free(s);
		curl_multi_assign(c->multi, fd, NULL);
		return 0;
	}
	uint32_t events =
	    (what & CURL_POLL_IN ? EPOLLIN : 0U) | (what & CURL_POLL_OUT ? EPOLLOUT : 0U);
	if (s) {
		sd_event_source_set_io_events(s->source, events);
		return 0;
	}
	s = xcalloc(1, sizeof(*s));
	s->client = c;
	int r = sd_event_add_io(c->loop, &s->source, fd, events, on_io, s);
	if (r < 0) {
		log_error("cannot wait on the API server's socket: %s", strerror(-r));
		free(s);
		return -1;
	}
	curl_multi_assign(c->multi, fd, s);
	return 0;
}

static int timer_changed(CURLM *multi, long ms, void *userdata)
{
	(void)multi;
	struct k8s_client *c = userdata;
	if (ms < 0)
		return sd_event_source_set_enabled(c->curl_timer, SD_EVENT_OFF) < 0 ? -1 : 0;
	uint64_t due = ms ? client_mono() + (uint64_t)ms * 1000 : 0;
	sd_event_source_set_time(c->curl_timer, due);
	return sd_event_source_set_enabled(c->curl_timer, SD_EVENT_ONESHOT) < 0 ? -1 : 0;
}

/* A peer that vanished without a word is noticed within half a minute, idle or not. */
static int socket_opened(void *userdata, curl_socket_t fd, curlsocktype purpose)
{
	const struct k8s_client *c = userdata;
	(void)purpose;
	static const struct {
		int level, name, value;
	} options[] = {
	    {SOL_SOCKET, SO_KEEPALIVE, 1},   {IPPROTO_TCP, TCP_KEEPIDLE, 15},
	    {IPPROTO_TCP, TCP_KEEPINTVL, 5}, {IPPROTO_TCP, TCP_KEEPCNT, 3},
	    {IPPROTO_TCP, TCP_NODELAY, 1},   {IPPROTO_TCP, TCP_USER_TIMEOUT, 30000},
	};
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)setsockopt(fd, options[i].level, options[i].name, &options[i].value,
				 sizeof(options[i].value));
	if (c->unacked_usec) {
		const unsigned ms = (unsigned)(c->unacked_usec / 1000);
		const struct linger none = {.l_onoff = 1, .l_linger = 0};
		(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	}
	return CURL_SOCKOPT_OK;
}

static void set_blob(CURL *easy, CURLoption option, const char *pem, unsigned flags)
{
	struct curl_blob blob = {(void *)(uintptr_t)pem, pem ? strlen(pem) : 0, flags};
	curl_easy_setopt(easy, option, pem ? &blob : NULL);
}

static void setup_credentials(const struct k8s_client *c, struct slot *s)
{
	const struct auth *a = &c->auth;
	curl_easy_setopt(s->easy, CURLOPT_HTTPAUTH, a->token ? CURLAUTH_BEARER : CURLAUTH_BASIC);
	curl_easy_setopt(s->easy, CURLOPT_XOAUTH2_BEARER, a->token);
	curl_easy_setopt(s->easy, CURLOPT_USERNAME, a->token ? NULL : c->config->username);
	curl_easy_setopt(s->easy, CURLOPT_PASSWORD, a->token ? NULL : c->config->password);
	set_blob(s->easy, CURLOPT_SSLCERT_BLOB, a->cert, CURL_BLOB_COPY);
	set_blob(s->easy, CURLOPT_SSLKEY_BLOB, a->key, CURL_BLOB_COPY);
	s->credentials = a->generation;
}

static struct slot *slot_new(const struct k8s_client *c)
{
	struct slot *s = xcalloc(1, sizeof(*s));
	CURL *h = s->easy = curl_easy_init();
	if (!h)
		abort();
	const struct k8s_config *cfg = c->config;
	curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "https,http");
	curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(h, CURLOPT_PIPEWAIT, 1L);
	curl_easy_setopt(h, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	curl_easy_setopt(h, CURLOPT_SOCKOPTFUNCTION, socket_opened);
	curl_easy_setopt(h, CURLOPT_SOCKOPTDATA, (void *)(uintptr_t)c);
	curl_easy_setopt(h, CURLOPT_ERRORBUFFER, s->error);
	curl_easy_setopt(h, CURLOPT_USERAGENT, c->user_agent);
	curl_easy_setopt(h, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, cfg->insecure_skip_tls_verify ? 0L : 1L);
	curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, cfg->insecure_skip_tls_verify ? 0L : 2L);
	if (c->connect_to)
		curl_easy_setopt(h, CURLOPT_CONNECT_TO, c->connect_to);
	if (cfg->proxy_url)
		curl_easy_setopt(h, CURLOPT_PROXY, cfg->proxy_url);
	if (cfg->ca_data && !cfg->insecure_skip_tls_verify)
		set_blob(h, CURLOPT_CAINFO_BLOB, cfg->ca_data, CURL_BLOB_NOCOPY);
	setup_credentials(c, s);
	return s;
}

struct slot *slot_get(struct k8s_client *c)
{
	struct slot *s = LIST_FIRST(&c->idle);
	if (!s)
		return slot_new(c);
	LIST_REMOVE(s, link);
	c->n_idle--;
	if (s->credentials != c->auth.generation)
		setup_credentials(c, s);
	s->error[0] = '\0';
	return s;
}

void slot_free(struct slot *s)
{
	curl_easy_cleanup(s->easy);
	buf_free(&s->body);
	free(s);
}

void slot_put(struct k8s_client *c, struct slot *s)
{
	if (c->n_idle >= MAX_IDLE_SLOTS) {
		slot_free(s);
		return;
	}
	buf_reset(&s->body);
	if (s->body.cap > KEEP_BODY)
		buf_free(&s->body);
	LIST_INSERT_HEAD(&c->idle, s, link);
	c->n_idle++;
}

void transfer_finish(struct transfer *t, CURLcode result)
{
	t->result = result;
	t->listed = true;
	TAILQ_INSERT_TAIL(&t->client->finished, t, link);
	if (!t->client->dispatching)
		client_wake(t->client);
}

void transfer_start(struct transfer *t)
{
	struct k8s_client *c = t->client;
	curl_easy_setopt(t->slot->easy, CURLOPT_PRIVATE, t);
	CURLMcode rc = curl_multi_add_handle(c->multi, t->slot->easy);
	if (rc != CURLM_OK) {
		snprintf(t->slot->error, sizeof(t->slot->error), "%s", curl_multi_strerror(rc));
		transfer_finish(t, CURLE_FAILED_INIT);
	}
}

void transfer_stop(struct transfer *t)
{
	if (t->listed)
		TAILQ_REMOVE(&t->client->finished, t, link);
	t->listed = false;
	if (!t->slot)
		return;
	curl_multi_remove_handle(t->client->multi, t->slot->easy);
	slot_put(t->client, t->slot);
	t->slot = NULL;
}

int http_init(struct k8s_client *c, struct err *e)
{
	/* repeated calls are counted by libcurl, and cheap */
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(e, ENOTSUP, "libcurl does not start");
	c->multi = curl_multi_init();
	if (!c->multi)
		return err_set(e, ENOMEM, "libcurl does not start");
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
	curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, timer_changed);
	curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
	curl_multi_setopt(c->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	curl_multi_setopt(c->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 250L);
	int r = sd_event_add_time(c->loop, &c->curl_timer, CLOCK_MONOTONIC, UINT64_MAX, 1,
				  on_curl_timer, c);
	if (r < 0)
		return err_set(e, -r, "cannot set a timer: %s", strerror(-r));
	sd_event_source_set_enabled(c->curl_timer, SD_EVENT_OFF);
	return 0;
}

void http_exit(struct k8s_client *c)
{
	for (struct slot *s; (s = LIST_FIRST(&c->idle));) {
		LIST_REMOVE(s, link);
		slot_free(s);
	}
	if (c->multi) {
		curl_multi_cleanup(c->multi); /* closes connections, with the socket callback */
		curl_global_cleanup();
	}
	sd_event_source_disable_unref(c->curl_timer);
}
