/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "ipc/delta.h"
#include "tests/chaos/chaos.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

/*
 * Follows kruised's log: which children live, since when, and what they say that they did. The
 * times are those of the lines, to the millisecond.
 */
#define LOST_KEPT 256

struct tree {
	struct child children[N_CHILDREN];
	uint64_t lost_usec[LOST_KEPT]; /* last crashes of a webhookd, a ring */
	size_t n_lost;
	int fd;
	struct buf text;
	struct delta_sub *deltas;
	uint64_t epoch; /* of the newest delta */
};

static const struct child start_state[N_CHILDREN] = {
    {.name = "watcher", .process = "kruise-watcher", .kind = KIND_WATCHER},
    {.name = "webhookd-0", .process = "webhookd-0", .kind = KIND_WEBHOOKD},
    {.name = "webhookd-1", .process = "webhookd-1", .kind = KIND_WEBHOOKD},
    {.name = "webhookconfig", .process = "webhookconfig", .kind = KIND_CONFIG},
    {.name = "elector", .process = "elector", .kind = KIND_ELECTOR},
    {.name = "podreadiness", .process = "podreadiness", .kind = KIND_WORKER, .crash_points = true},
    {.name = "containerlaunchpriority",
     .process = "containerlaunchpriority",
     .kind = KIND_WORKER,
     .crash_points = true},
    {.name = "cloneset", .process = "cloneset", .kind = KIND_WORKER, .crash_points = true},
};

struct child *tree_children(struct chaos *c)
{
	return c->tree->children;
}

bool tree_whole(struct chaos *c)
{
	for (size_t i = 0; i < N_CHILDREN; i++) {
		const struct child *v = &c->tree->children[i];
		if (!v->pid || !v->ready || !v->acted || v->restarting || v->again)
			return false;
	}
	return true;
}

bool tree_admission_up(const struct chaos *c)
{
	for (size_t i = 0; i < N_CHILDREN; i++) {
		const struct child *v = &c->tree->children[i];
		if (v->kind == KIND_WEBHOOKD && v->pid && v->ready && !v->killed_usec)
			return true;
	}
	return false;
}

bool tree_lost_webhookd(const struct chaos *c, uint64_t from, uint64_t to)
{
	const struct tree *t = c->tree;
	for (size_t i = 0; t && i < LOST_KEPT; i++)
		if (t->lost_usec[i] >= from && t->lost_usec[i] <= to)
			return true;
	return false;
}

void tree_expect(struct chaos *c, struct child *v, bool hard)
{
	(void)c;
	v->killed_usec = chaos_now();
	v->killed_hard = hard;
}

static void acted(struct chaos *c, struct child *v, uint64_t when)
{
	if (v->acted)
		return;
	v->acted = true;
	if (!v->killed_usec || v->pid == 0)
		return;
	const uint64_t from = v->killed_hard ? v->killed_usec : v->died_usec;
	const uint64_t took = when > from ? when - from : 0;
	history_add(c, "*", "%s is back after %llu ms (back-off %llu)", v->name,
		    (unsigned long long)took / 1000, (unsigned long long)v->delay_usec / 1000);
	recovery_add(v->kind, v->delay_usec > 0, took);
	v->killed_usec = 0;
}

static void on_started(struct chaos *c, struct child *v, const char *rest, uint64_t when)
{
	v->pid = atoi(rest);
	v->started_usec = when;
	v->ready = v->acted = v->restarting = false;
	history_add(c, "*", "%s: pid %d", v->name, (int)v->pid);
	killer_started(c, v);
}

static void on_died(struct chaos *c, struct child *v, const char *rest, uint64_t when)
{
	history_add(c, "*", "%s: pid %s", v->name, rest);
	v->pid = 0;
	v->ready = v->acted = false;
	v->died_usec = when;
	v->delay_usec = 0;
	if (v->kind == KIND_WEBHOOKD && !v->restarting)
		c->tree->lost_usec[c->tree->n_lost++ % LOST_KEPT] = when;
	killer_died(c, v);
}

static void on_delay(struct chaos *c, struct child *v, const char *rest, uint64_t when)
{
	(void)c;
	(void)when;
	v->delay_usec = strtoull(rest, NULL, 10) * 1000;
}

static void on_ready(struct chaos *c, struct child *v, const char *rest, uint64_t when)
{
	(void)rest;
	v->ready = true;
	/* workers say it themselves, the watcher's deltas say it */
	if (v->kind != KIND_WORKER && v->kind != KIND_WATCHER)
		acted(c, v, when);
}

static void on_unready(struct chaos *c, struct child *v, const char *rest, uint64_t when)
{
	(void)c;
	(void)rest;
	(void)when;
	v->ready = false;
}

static const struct {
	const char *says;
	void (*fn)(struct chaos *c, struct child *v, const char *rest, uint64_t when);
} sayings[] = {
    {"started, pid ", on_started}, {"pid ", on_died},	      {"restarts in ", on_delay},
    {"ready", on_ready},	   {"not ready", on_unready},
};

/* "NAME: what" from the supervisor */
static void of_supervisor(struct chaos *c, const char *msg, uint64_t when)
{
	for (size_t i = 0; i < N_CHILDREN; i++) {
		struct child *v = &c->tree->children[i];
		const size_t n = strlen(v->name);
		if (strncmp(msg, v->name, n) != 0 || strncmp(msg + n, ": ", 2) != 0)
			continue;
		for (size_t k = 0; k < sizeof(sayings) / sizeof(sayings[0]); k++) {
			const size_t len = strlen(sayings[k].says);
			if (strncmp(msg + n + 2, sayings[k].says, len) == 0) {
				sayings[k].fn(c, v, msg + n + 2 + len, when);
				return;
			}
		}
	}
}

static void of_child(struct chaos *c, const char *process, size_t n, int pid, const char *msg,
		     uint64_t when)
{
	for (size_t i = 0; i < N_CHILDREN; i++) {
		struct child *v = &c->tree->children[i];
		if (strlen(v->process) == n && memcmp(v->process, process, n) == 0 &&
		    v->pid == pid && strncmp(msg, "first sync finished", 19) == 0)
			acted(c, v, when);
	}
}

/* "2026-12-01T17:11:44.123Z info  cloneset[123]: first sync finished" */
static void take_line(struct chaos *c, const char *line)
{
	struct tm tm = {0};
	const char *rest = strptime(line, "%Y-%m-%dT%H:%M:%S.", &tm);
	char *end;
	if (!rest)
		return;
	const uint64_t when = (uint64_t)timegm(&tm) * 1000000 + strtoull(rest, &end, 10) * 1000;
	const char *process = end + strcspn(end, " ");
	process += strspn(process, " ");
	process += strcspn(process, " ");
	process += strspn(process, " ");
	const size_t n = strcspn(process, "[");
	const char *msg = strstr(process, "]: ");
	if (!msg || process[n] != '[')
		return;
	msg += 3;
	if (n == strlen("kruised") && memcmp(process, "kruised", n) == 0)
		of_supervisor(c, msg, when);
	else
		of_child(c, process, n, atoi(process + n + 1), msg, when);
}

static void read_log(struct chaos *c)
{
	struct tree *t = c->tree;
	char chunk[16384];
	ssize_t n;
	while ((n = read(t->fd, chunk, sizeof(chunk))) > 0)
		buf_add(&t->text, chunk, (size_t)n);
	char *from = t->text.p, *end;
	while (from && (end = memchr(from, '\n', t->text.len - (size_t)(from - t->text.p)))) {
		*end = '\0';
		take_line(c, from);
		from = end + 1;
	}
	if (!from)
		return;
	t->text.len -= (size_t)(from - t->text.p);
	memmove(t->text.p, from, t->text.len);
}

static int on_inotify(sd_event_source *s, const struct inotify_event *event, void *userdata)
{
	(void)s;
	(void)event;
	read_log(userdata);
	return 0;
}

/* The watcher's first useful act is the first delta of its epoch. */
static void on_delta(const char *resource, const struct delta *d, void *userdata)
{
	struct chaos *c = userdata;
	struct child *watcher = &c->tree->children[0];
	(void)resource;
	if (d->epoch <= c->tree->epoch)
		return;
	read_log(c);
	if (!watcher->pid)
		return;
	c->tree->epoch = d->epoch;
	acted(c, watcher, chaos_now());
}

static void on_gap(const char *resource, void *userdata)
{
	(void)resource;
	(void)userdata;
}

void tree_start(struct chaos *c)
{
	static const char *topics[] = {"pods", "apps.kruise.io/clonesets", NULL};
	struct err e = {0};
	c->tree = xcalloc(1, sizeof(*c->tree));
	memcpy(c->tree->children, start_state, sizeof(start_state));
	c->tree->fd = open(c->o->log, O_RDONLY | O_CLOEXEC);
	if (c->tree->fd < 0)
		fatal("%s: %m", c->o->log);
	if (sd_event_add_inotify(c->loop, NULL, c->o->log, IN_MODIFY, on_inotify, c) < 0 ||
	    delta_sub_new(&c->tree->deltas, c->loop, c->o->rundir, topics, on_delta, on_gap, c,
			  &e) < 0)
		fatal("cannot follow kruised: %s", e.msg);
	read_log(c);
	/* what is up now has been so for a while; the watcher's first delta is still to come */
	for (size_t i = 1; i < N_CHILDREN; i++)
		c->tree->children[i].acted = c->tree->children[i].ready;
}
