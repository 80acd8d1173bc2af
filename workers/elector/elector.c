/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/elector/elector.h"

#include "ipc/base/log.h"
#include "kube/json.h"
#include "kube/time.h"
#include "rules/lease.h"
#include "workers/runtime/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define RELEASE_POLL_USEC 20000

struct elector {
	struct worker w;
	char identity[192];
	sd_event_source *timer;
	sd_event_source *deadline; /* of the Lease that is held */
	struct metric *is_leader;
	struct lease_observed seen;
	bool holding;
	uint64_t tried_usec;   /* start of the renewal under way */
	uint64_t renewed_usec; /* start of the last one that succeeded */
	bool busy;	       /* a request is under way */
	bool releasing;	       /* told to stop */
	bool let_go;	       /* the request under way is the one that gives the Lease up */
};

/* The same identity for every elector of one runtime directory: a restarted one still holds the
 * Lease. */
static int load_identity(struct elector *el, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/identity", child_rundir());
	FILE *f = fopen(path, "re");
	if (f) {
		size_t n = fread(el->identity, 1, sizeof(el->identity) - 1, f);
		fclose(f);
		el->identity[n] = '\0';
		if (n >= 8)
			return 0;
	}
	char host[100] = "localhost";
	unsigned char random[8];
	gethostname(host, sizeof(host) - 1);
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_set(e, EIO, "getrandom failed");
	int n = snprintf(el->identity, sizeof(el->identity), "%s_", host);
	for (size_t i = 0; i < sizeof(random); i++)
		n +=
		    snprintf(el->identity + n, sizeof(el->identity) - (size_t)n, "%02x", random[i]);
	f = fopen(path, "we");
	if (!f)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	bool ok = fputs(el->identity, f) >= 0;
	ok = fclose(f) == 0 && ok;
	return ok ? 0 : err_set(e, EIO, "%s: cannot write", path);
}

static void say(struct elector *el, const char *note)
{
	const struct options *o = &el->w.options;
	uint64_t until = el->holding ? el->renewed_usec + o->renew_deadline_usec : 0;
	if (el->holding && until <= mono_usec()) {
		log_error("leadership lost: the Lease was not renewed within its deadline");
		el->holding = false;
		until = 0;
	}
	if (el->holding) {
		sd_event_source_set_time(el->deadline, until);
		sd_event_source_set_enabled(el->deadline, SD_EVENT_ONESHOT);
	}
	child_set_leader_until(el->w.child, until);
	child_set_ready(el->w.child, true, note);
	metric_set(el->is_leader, el->holding ? 1 : 0);
}

/* A server that says nothing at all must not leave the last good word standing. */
static int on_deadline(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct elector *el = userdata;
	char note[400];
	(void)s;
	(void)usec;
	if (!el->holding)
		return 0;
	snprintf(note, sizeof(note), "lease %s/%s: not renewed in time; the API server is silent",
		 el->w.options.leader_election_namespace, el->w.options.leader_election_id);
	log_warn("%s", note);
	say(el, note);
	return 0;
}

static void next_try(struct elector *el, uint64_t usec)
{
	el->busy = false;
	sd_event_source_set_time(el->timer, mono_usec() + usec);
	sd_event_source_set_enabled(el->timer, SD_EVENT_ONESHOT);
}

static void on_written(const struct k8s_response *r, void *userdata)
{
	struct elector *el = userdata;
	if (el->let_go) {
		log_info("lease %s", k8s_ok(r) ? "released" : r->error);
		sd_event_exit(el->w.loop, 0);
		return;
	}
	if (el->releasing) { /* a renewal that was under way when the stop came */
		next_try(el, 0);
		return;
	}
	char note[400];
	if (k8s_ok(r)) {
		if (!el->holding)
			log_info("became leader as %s", el->identity);
		el->holding = true;
		el->renewed_usec = el->tried_usec;
		snprintf(note, sizeof(note), "leader: %s", el->identity);
	} else {
		snprintf(note, sizeof(note), "lease %s/%s: %s",
			 el->w.options.leader_election_namespace, el->w.options.leader_election_id,
			 r->error);
		log_warn("%s", note);
	}
	say(el, note);
	next_try(el, el->w.options.retry_period_usec);
}

static void write_lease(struct elector *el, const val *lease, const char *identity)
{
	const struct options *o = &el->w.options;
	_cleanup_arena_ arena *a = arena_new();
	char now[64];
	k8s_microtime_format(now, sizeof(now), (int64_t)wall_usec());
	val body = lease_build(a, lease, o->leader_election_namespace, o->leader_election_id,
			       identity, (int64_t)(o->lease_duration_usec / 1000000), now);
	if (lease)
		k8s_update(el->w.client, &K8S_LEASES, o->leader_election_namespace,
			   o->leader_election_id, NULL, &body, on_written, el);
	else
		k8s_create(el->w.client, &K8S_LEASES, o->leader_election_namespace, &body,
			   on_written, el);
}

static void on_lease(const struct k8s_response *r, void *userdata)
{
	struct elector *el = userdata;
	char note[400];
	if (!k8s_ok(r) && !k8s_is_not_found(r)) {
		snprintf(note, sizeof(note), "lease: %s", r->error);
		log_warn("%s", note);
		say(el, note);
		next_try(el, el->w.options.retry_period_usec);
		return;
	}
	const val *lease = k8s_ok(r) ? r->object : NULL;
	enum lease_action action =
	    lease_decide(lease, el->identity, el->holding, mono_usec(), &el->seen);
	if (el->releasing) {
		el->let_go = lease && strcmp(el->seen.holder, el->identity) == 0;
		if (el->let_go)
			write_lease(el, lease, "");
		else
			sd_event_exit(el->w.loop, 0);
		return;
	}
	if (action != LEASE_WAIT) {
		write_lease(el, lease, el->identity);
		return;
	}
	if (el->holding)
		log_error("leadership lost to %s", el->seen.holder);
	el->holding = false;
	snprintf(note, sizeof(note), "standby; leader: %s", el->seen.holder);
	say(el, note);
	next_try(el, el->w.options.retry_period_usec);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct elector *el = userdata;
	(void)s;
	(void)usec;
	if (el->releasing && child_leader_workers(el->w.child) > 0) {
		next_try(el, RELEASE_POLL_USEC);
		return 0;
	}
	el->busy = true;
	el->tried_usec = mono_usec();
	k8s_get(el->w.client, &K8S_LEASES, el->w.options.leader_election_namespace,
		el->w.options.leader_election_id, on_lease, el);
	return 0;
}

static void on_stop(void *userdata)
{
	struct elector *el = userdata;
	if (el->releasing)
		return;
	el->releasing = true;
	child_set_leader_until(el->w.child, 0);
	if (!el->holding) {
		sd_event_exit(el->w.loop, 0);
		return;
	}
	el->holding = false;
	/* an answer that is under way comes to on_lease or on_written, which see `releasing` */
	if (!el->busy)
		next_try(el, 0);
}

int elector_main(int argc, char **argv)
{
	struct elector el = {.w.short_calls = true};
	struct err e = {0};
	const struct child_handlers handlers = {.stop = on_stop, .userdata = &el};
	if (worker_init(&el.w, "elector", NULL, argc, argv, &handlers, &e) < 0 ||
	    load_identity(&el, &e) < 0)
		fatal("%s", e.msg);
	el.is_leader = metric_new(el.w.metrics, METRIC_GAUGE, "kruise_manager_is_leader",
				  "1 while this replica holds the Lease.", NULL);
	if (sd_event_add_time(el.w.loop, &el.timer, CLOCK_MONOTONIC, 0, 1000, on_timer, &el) < 0)
		fatal("cannot add a timer");
	if (sd_event_add_time(el.w.loop, &el.deadline, CLOCK_MONOTONIC, 0, 1000, on_deadline, &el) <
		0 ||
	    sd_event_source_set_enabled(el.deadline, SD_EVENT_OFF) < 0)
		fatal("cannot add a timer");
	int rc = worker_loop(&el.w);
	sd_event_source_disable_unref(el.timer);
	sd_event_source_disable_unref(el.deadline);
	worker_exit(&el.w);
	return rc;
}
