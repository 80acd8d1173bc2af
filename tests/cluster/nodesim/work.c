/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/pod.h"

#include "ipc/base/log.h"
#include "kube/json.h"
#include "tests/cluster/nodesim/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_USEC 1000000u

static struct sim_now now_of(const struct sim_pod *p)
{
	uint64_t mono = 0, real = 0;
	sd_event_now(p->all->loop, CLOCK_MONOTONIC, &mono);
	sd_event_now(p->all->loop, CLOCK_REALTIME, &real);
	return (struct sim_now){mono, (int64_t)(real / 1000000)};
}

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)s;
	(void)usec;
	sim_pod_work(userdata, NULL);
	return 0;
}

/* at 0: none. */
static void set_timer(struct sim_pod *p, uint64_t at)
{
	if (!at) {
		if (p->timer)
			sd_event_source_set_enabled(p->timer, SD_EVENT_OFF);
		return;
	}
	if (!p->timer) {
		if (sd_event_add_time(p->all->loop, &p->timer, CLOCK_MONOTONIC, at, 1000, on_timer,
				      p) < 0)
			fatal("cannot add a timer");
		return;
	}
	sd_event_source_set_time(p->timer, at);
	sd_event_source_set_enabled(p->timer, SD_EVENT_ONESHOT);
}

static void failed(struct sim_pod *p, const char *what, const struct k8s_response *r)
{
	/* gone, or another pod of that name: the watch says so, or has said it already */
	if (k8s_is_not_found(r) || r->code == 409) {
		if (p->version > p->asked_version)
			sim_pod_work(p, NULL);
		return;
	}
	p->all->counts.failures++;
	log_warn("%s of %s/%s: %s", what, p->entry.ns, p->entry.name, r->error);
	set_timer(p, now_of(p).mono_usec + RETRY_USEC);
}

static void on_patched(const struct k8s_response *r, void *userdata)
{
	struct sim_pod *p = userdata;
	p->call = NULL;
	if (!k8s_ok(r)) {
		failed(p, "status", r);
		return;
	}
	p->all->counts.writes++;
	const bool newer = sim_pod_take(p, r->object, r->body, r->body_len);
	if (newer)
		sim_pod_work(p, r->object);
	else if (p->version > p->asked_version)
		sim_pod_work(p, NULL);
	else {
		/* never hot, should the API server and we disagree about a default */
		log_warn("%s/%s: a status write changed nothing", p->entry.ns, p->entry.name);
		set_timer(p, now_of(p).mono_usec + RETRY_USEC);
	}
}

static void on_deleted(const struct k8s_response *r, void *userdata)
{
	struct sim_pod *p = userdata;
	p->call = NULL;
	if (!k8s_ok(r)) {
		failed(p, "deletion", r);
		return;
	}
	p->all->counts.writes++;
	sim_runtime_kill(&p->runtime, now_of(p));
	/* with finalizers the object stays, and shows its containers as ended */
	if (val_len(val_path(r->object, "metadata", "finalizers", NULL))) {
		sim_pod_take(p, r->object, r->body, r->body_len);
		sim_pod_work(p, NULL);
	}
}

static void on_bound(const struct k8s_response *r, void *userdata)
{
	struct sim_pod *p = userdata;
	p->call = NULL;
	if (!k8s_ok(r)) {
		p->binding = false;
		failed(p, "binding", r);
		return;
	}
	p->all->counts.binds++;
	if (p->node >= 0) /* the watch was faster than the answer */
		sim_pod_work(p, NULL);
}

static void bind_pod(struct sim_pod *p, const val *object)
{
	struct sim_pods *all = p->all;
	if (p->binding || val_is_str(val_path(object, "metadata", "deletionTimestamp", NULL)))
		return;
	const int64_t node = sim_nodes_choose(all->nodes);
	if (node < 0) {
		set_timer(p, now_of(p).mono_usec + RETRY_USEC);
		return;
	}
	_cleanup_arena_ arena *a = arena_new();
	val b = val_map();
	val_set(a, &b, "apiVersion", val_of_str("v1"));
	val_set(a, &b, "kind", val_of_str("Binding"));
	val *meta = val_ensure_map(a, &b, "metadata");
	val_set(a, meta, "name", val_of_str(p->entry.name));
	val_set(a, meta, "namespace", val_of_str(p->entry.ns));
	val *target = val_ensure_map(a, &b, "target");
	val_set(a, target, "apiVersion", val_of_str("v1"));
	val_set(a, target, "kind", val_of_str("Node"));
	val_set(a, target, "name", val_of_str(sim_nodes_name(all->nodes, (uint32_t)node)));
	_cleanup_buf_ struct buf path = {0}, body = {0};
	k8s_path(&path, &K8S_PODS, p->entry.ns, p->entry.name, "binding");
	json_print(&body, &b, 0);
	p->binding = true;
	p->call = k8s_raw(all->client, "POST", buf_str(&path), "application/json", body.p, body.len,
			  on_bound, p);
}

/* The pod's own address; addresses that running pods have already are never given again. */
static const char *address(struct sim_pod *p, char *out, size_t n)
{
	if (!p->ip)
		p->ip = ++p->all->last_ip;
	snprintf(out, n, "10.%u.%u.%u", 128 + (p->ip >> 16 & 127), p->ip >> 8 & 255, p->ip & 255);
	return out;
}

static void run(struct sim_pod *p, const val *object)
{
	struct sim_pods *all = p->all;
	const struct sim_now now = now_of(p);
	const struct sim_faults f = sim_faults_of(object);
	const uint64_t next =
	    sim_runtime_advance(&p->runtime, object, &f, &all->options->times, now);
	if (sim_runtime_kill_due(&p->runtime, now)) {
		p->call = k8s_delete(all->client, &K8S_PODS, p->entry.ns, p->entry.name, p->uid, 0,
				     NULL, on_deleted, p);
		return;
	}
	_cleanup_arena_ arena *a = arena_new();
	char ip[20];
	const struct sim_address at = {address(p, ip, sizeof(ip)),
				       sim_nodes_ip(all->nodes, (uint32_t)p->node)};
	val patch;
	if (sim_status_patch(a, object, &p->runtime, &f, at, now, &patch)) {
		p->call = k8s_patch(all->client, &K8S_PODS, p->entry.ns, p->entry.name, "status",
				    K8S_PATCH_STRATEGIC, &patch, on_patched, p);
		return;
	}
	set_timer(p, next);
}

void sim_pod_work(struct sim_pod *p, const val *object)
{
	if (p->call || p->all->listing)
		return;
	set_timer(p, 0);
	if (p->node >= 0 && sim_nodes_silent(p->all->nodes, (uint32_t)p->node))
		return;
	_cleanup_arena_ arena *a = NULL;
	val parsed;
	if (!object) {
		a = arena_new();
		struct err e = {0};
		if (json_parse(a, p->text, p->len, &parsed, &e) < 0)
			fatal("%s/%s: %s", p->entry.ns, p->entry.name, e.msg);
		/* pods have no field of that name, watch events do */
		object = val_get(&parsed, "object");
		if (!object)
			object = &parsed;
	}
	p->asked_version = p->version;
	if (p->node < 0)
		bind_pod(p, object);
	else
		run(p, object);
}

bool sim_pod_take(struct sim_pod *p, const val *object, const char *text, size_t n)
{
	const struct str rv = val_str(val_path(object, "metadata", "resourceVersion", NULL));
	const uint64_t version = rv.n ? strtoull(rv.p, NULL, 10) : 0;
	if (version <= p->version)
		return false;
	p->version = version;
	free(p->text);
	p->text = xstrndup(text, n);
	p->len = n;
	return true;
}
