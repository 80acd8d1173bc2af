/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_REST_INT_H
#define KUBE_REST_INT_H

#include "ipc/base/buf.h"
#include "kube/rest.h"

#include <curl/curl.h>
#include <sys/queue.h>

/*
 * The parts of the API client. http.c drives libcurl and hands finished transfers on; call.c
 * queues, starts, retries and answers calls; watch.c cuts streams into lines; auth.c holds the
 * credentials; response.c makes a k8s_response of an answer; rest.c is the public surface.
 *
 * No user callback runs inside a libcurl callback: libcurl forbids most of its functions there.
 * What libcurl reports is put on lists, which client_dispatch() works off afterwards.
 */

#define MAX_LIST_BODY ((size_t)512 << 20)
#define MAX_OBJECT_BODY ((size_t)8 << 20)
#define MAX_WATCH_LINE ((size_t)16 << 20)
#define CONNECT_TIMEOUT_MS 10000L
#define MAX_IDLE_SLOTS 256
/* A body buffer beyond this is not kept for the next call. */
#define KEEP_BODY ((size_t)64 << 10)

/* An easy handle with what it needs; reused from call to call. */
struct slot {
	CURL *easy;
	struct buf body;
	unsigned credentials; /* generation that the handle was set up with */
	char error[CURL_ERROR_SIZE];
	LIST_ENTRY(slot) link;
};

/* One use of a slot: the common head of a call and a watch. */
struct transfer {
	struct k8s_client *client;
	struct slot *slot; /* NULL while not running */
	CURLcode result;
	bool listed; /* on client->finished */
	void (*finished)(struct transfer *t);
	TAILQ_ENTRY(transfer) link;
};

enum body_type { BODY_NONE, BODY_JSON, BODY_JSON_PATCH, BODY_MERGE, BODY_STRATEGIC, BODY_OTHER };

enum call_state { CALL_QUEUED, CALL_RUNNING, CALL_WAITING, CALL_ANSWERING };

struct k8s_call {
	struct transfer t;
	enum call_state state;
	const char *method; /* static */
	char *path;	    /* with the query */
	enum body_type type;
	char *body;
	size_t body_len;
	size_t max_body;
	struct curl_slist *headers; /* of BODY_OTHER */
	k8s_done_fn done;
	void *userdata;
	int tries; /* that have failed */
	bool timed_out_once;
	bool reauthenticated;
	bool too_large;
	char *failure; /* why it could not even start */
	sd_event_source *timer;
	TAILQ_ENTRY(k8s_call) queue;
	LIST_ENTRY(k8s_call) all;
};

struct k8s_watch {
	struct transfer t;
	char *path;
	k8s_line_fn on_line;
	k8s_end_fn on_end;
	void *userdata;
	struct buf pending; /* bytes not yet delivered */
	size_t scanned;	    /* of pending: no line end before it */
	long code;
	bool readable; /* on client->readable */
	bool delivering;
	bool stopped;
	bool too_long;
	char *failure;
	TAILQ_ENTRY(k8s_watch) ready;
	LIST_ENTRY(k8s_watch) all;
};

struct count {
	const char *method;
	int code;
	uint64_t n;
};

/* Credentials in use. A new generation makes every slot take them over at its next use. */
struct auth {
	unsigned generation;
	char *token;
	char *cert; /* PEM */
	char *key;
	uint64_t reread_usec; /* CLOCK_MONOTONIC: when the token file is due; 0 = never */
	int64_t expires_usec; /* CLOCK_REALTIME, of exec credentials; 0 = never */
};

struct k8s_client {
	sd_event *loop;
	CURLM *multi;
	struct k8s_config *config;
	struct auth auth;
	char *user_agent;
	char *base_url;
	char *host; /* and port, of the server's URL */
	struct curl_slist *connect_to;
	struct curl_slist *headers[BODY_OTHER];

	sd_event_source *curl_timer;
	sd_event_source *pump; /* deferred: starts calls and runs callbacks */
	sd_event_source *qps_timer;

	double qps;
	double burst;
	double tokens;
	uint64_t tokens_usec;
	size_t max_in_flight;
	uint64_t timeout_usec;
	int max_retries;
	bool (*may_write)(void *userdata);
	void *may_write_data;
	uint64_t unacked_usec;

	size_t running;
	size_t calls; /* not answered yet */
	uint64_t connections;
	bool dispatching;
	bool dead; /* freed inside a callback */

	LIST_HEAD(slot_list, slot) idle;
	size_t n_idle;
	TAILQ_HEAD(call_queue, k8s_call) queue;
	TAILQ_HEAD(transfer_queue, transfer) finished;
	TAILQ_HEAD(watch_queue, k8s_watch) readable;
	LIST_HEAD(call_list, k8s_call) all_calls;
	LIST_HEAD(watch_list, k8s_watch) all_watches;
	struct count counts[128];
	size_t n_counts;
};

uint64_t client_mono(void);

/* http.c */
int http_init(struct k8s_client *c, struct err *e);
void http_exit(struct k8s_client *c);
struct slot *slot_get(struct k8s_client *c);
void slot_put(struct k8s_client *c, struct slot *s);
void slot_free(struct slot *s);
/* Starts what the slot's handle is set up for; t->finished runs from client_dispatch(). */
void transfer_start(struct transfer *t);
void transfer_stop(struct transfer *t);			   /* gives the slot back */
void transfer_finish(struct transfer *t, CURLcode result); /* without libcurl */
void client_dispatch(struct k8s_client *c);
void client_destroy(struct k8s_client *c);

/* call.c */
void call_submit(struct k8s_call *call);
void call_pump(struct k8s_client *c);
void call_free(struct k8s_call *call);
void client_count(struct k8s_client *c, const char *method, int code);
struct curl_slist *client_headers(struct k8s_client *c, enum body_type type); /* shared */
void client_wake(struct k8s_client *c);

/* retry.c: milliseconds until the next try, or -1 when the answer is final. */
int64_t retry_delay_ms(const struct k8s_call *call, CURLcode result, long code, long retry_after);
/* Whether the server certainly did not see the request. */
bool retry_unsent(CURL *easy, CURLcode result);

/* watch.c */
void watch_deliver(struct k8s_watch *w);
void watch_free(struct k8s_watch *w);

/* auth.c */
int auth_init(struct k8s_client *c, struct err *e);
void auth_exit(struct auth *a);
/* Brings credentials up to date before a request; now: at once, after a 401. Says in *renewed
 * whether they may have changed. */
int auth_renew(struct k8s_client *c, bool now, bool *renewed, struct err *e);

/* response.c */
struct answer {
	CURLcode result;
	long code;
	long retry_after;
	const char *detail; /* libcurl's error text, or our own; may be empty */
	struct buf *body;   /* may be taken over by the response */
	bool too_large;
};
/* Builds the response; everything it needs lives in *r's arena or in `text`. */
void response_make(const struct k8s_client *c, const struct answer *a, struct k8s_response *r,
		   char **text);
void response_release(struct k8s_response *r);
/* "cannot reach …: reason", allocated. */
char *response_transport_error(const struct k8s_client *c, CURLcode result, const char *detail);

#endif
