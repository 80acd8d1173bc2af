/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_REST_H
#define KUBE_REST_H

#include "ipc/base/err.h"
#include "kube/config.h"
#include "kube/resource.h"
#include "kube/value.h"

#include <systemd/sd-event.h>

/*
 * The API client: one libcurl multi handle on the process's sd-event loop, HTTP/2 multiplexed over
 * one connection (a watch included). Everything is asynchronous; nothing blocks the loop.
 */
struct k8s_client;

struct k8s_client_options {
	const char *user_agent; /* copied; events and managedFields name it */
	double qps;		/* requests started per second; 0 = no limit of ours */
	int burst;
	int max_in_flight; /* 0 = 100; further calls wait in order */
	uint64_t
	    timeout_usec; /* for one try of a call, 0 = 30 s; watches have none but a stall limit */
	int max_retries;  /* tries after the first on 429, 503 with Retry-After, 5xx of GET, refused
			     connection; 0 = 5, -1 = none */
	/* Asked at the last moment before any try of a call that is no GET; when it says no, the
	 * call ends without an answer, and certainly without an effect. NULL: always. */
	bool (*may_write)(void *userdata);
	void *userdata;
	/* What the server has not acknowledged for that long is taken back, and its connection
	 * given up; what is unacknowledged when the process dies, at once. 0: 30 s, and the kernel
	 * goes on sending for a process that has died. For writes that must not arrive late. */
	uint64_t unacked_usec;
};

int k8s_client_new(struct k8s_client **out, sd_event *loop, const struct k8s_config *config,
		   const struct k8s_client_options *options, struct err *e);
void k8s_client_free(struct k8s_client *c); /* cancels all calls; their callbacks do not run */

/* What the API server, or the way to it, answered. Valid during the callback only. */
struct k8s_response {
	int code;	   /* HTTP status; 0 when there was no answer (see error) */
	const char *error; /* NULL on 2xx; else a sentence for people: the Status' message, or the
			      transport's */
	const char
	    *reason; /* Status.reason ("NotFound", "Conflict", "AlreadyExists", "Invalid"…) or "" */
	const val
	    *causes;	 /* Status.details.causes, an array of {field, reason, message}, or NULL */
	int retry_after; /* seconds, 0 when not given */
	const val *object; /* the body; NULL when there is none. Lives in arena. */
	arena *arena;	   /* owned by the call; k8s_response_steal() takes it over */
	const char *body;  /* the bytes that object points into */
	size_t body_len;
};

/* Takes the arena over, for use after the callback; the bytes that object points into go with it.
 * NULL when the response has none, or was stolen already. arena_free() releases both. */
arena *k8s_response_steal(const struct k8s_response *r);

bool k8s_ok(const struct k8s_response *r);
bool k8s_is_not_found(const struct k8s_response *r);	  /* 404 */
bool k8s_is_conflict(const struct k8s_response *r);	  /* 409, reason Conflict */
bool k8s_is_already_exists(const struct k8s_response *r); /* 409, reason AlreadyExists */
bool k8s_is_gone(const struct k8s_response *r);		  /* 410 */
/* A patch that names a uid met an object with another one (422, metadata.uid cannot change). */
bool k8s_is_other_uid(const struct k8s_response *r);

typedef void (*k8s_done_fn)(const struct k8s_response *r, void *userdata);

enum k8s_patch_type { K8S_PATCH_JSON, K8S_PATCH_MERGE, K8S_PATCH_STRATEGIC };

struct k8s_call; /* a call under way; freed after its callback has run */

/* Calls. The path arguments are copied, bodies are printed before the function returns. `done` runs
 * exactly once, from the loop, never from inside these functions. NULL done: result only logged on
 * error. */
struct k8s_call *k8s_get(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			 const char *name, k8s_done_fn done, void *userdata);
/* query: "limit=500&labelSelector=a%3Db", or NULL. */
struct k8s_call *k8s_list(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			  const char *query, k8s_done_fn done, void *userdata);
struct k8s_call *k8s_create(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			    const val *object, k8s_done_fn done, void *userdata);
/* sub: "status", "scale", … or NULL. name, resourceVersion as in object. */
struct k8s_call *k8s_update(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			    const char *name, const char *sub, const val *object, k8s_done_fn done,
			    void *userdata);
struct k8s_call *k8s_patch(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			   const char *name, const char *sub, enum k8s_patch_type type,
			   const val *patch, k8s_done_fn done, void *userdata);
/* uid: precondition, or NULL. grace_seconds < 0: the object's own. propagation: "Background", … or
 * NULL. */
struct k8s_call *k8s_delete(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			    const char *name, const char *uid, int grace_seconds,
			    const char *propagation, k8s_done_fn done, void *userdata);
/* Anything else. body may be NULL. */
struct k8s_call *k8s_raw(struct k8s_client *c, const char *method, const char *path_and_query,
			 const char *content_type, const char *body, size_t body_len,
			 k8s_done_fn done, void *userdata);
void k8s_call_cancel(struct k8s_call *call); /* the callback will not run */

/* A watch. on_line gets each event as its JSON text, one line, valid during the call. on_end runs
 * once when the stream has ended: error NULL for a normal end (the server's time-out), else a
 * sentence, with code the HTTP status (410 too when it came as an event: the reflector decides on
 * the line itself). */
struct k8s_watch;
typedef void (*k8s_line_fn)(const char *line, size_t n, void *userdata);
typedef void (*k8s_end_fn)(int code, const char *error, void *userdata);
struct k8s_watch *k8s_watch_start(struct k8s_client *c, const struct k8s_resource *r,
				  const char *ns, const char *query, k8s_line_fn on_line,
				  k8s_end_fn on_end, void *userdata);
/* Frees it; no callback runs afterwards. Allowed in its own callbacks. After on_end has run the
 * watch is freed by itself: do not stop it later. */
void k8s_watch_stop(struct k8s_watch *w);

/* Counters for metrics: calls by method and status code. */
typedef void (*k8s_count_fn)(const char *method, int code, uint64_t n, void *userdata);
void k8s_client_counts(const struct k8s_client *c, k8s_count_fn fn, void *userdata);
const char *k8s_client_host(const struct k8s_client *c); /* "10.0.0.1:6443", as their label */
size_t k8s_client_in_flight(const struct k8s_client *c);
uint64_t k8s_client_connections(const struct k8s_client *c); /* opened since the start */

#endif
