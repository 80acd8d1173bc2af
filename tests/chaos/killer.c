/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/chaos/chaos.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Draws who dies, how, and when. The supervisor's back-off stands: after a few deaths in a row a
 * child is restarted with kruisectl, as an operator would do, which starts it with a clean record.
 */
#define TICK_USEC 10000u
#ifdef KRUISED_CRASH_POINTS
#define CRASH_POINTS true
#else
#define CRASH_POINTS false /* the workers are of the same build, and have none */
#endif
#define ARMED_USEC 5000000u /* a crash point that is not reached for that long: go on */

struct killer {
	int64_t kills, target;
	int64_t by_method[8];
	uint64_t next_usec;
};

static bool eligible(const struct child *v)
{
	return v->pid && v->ready && v->acted && !v->restarting && !v->killed_usec && !v->again &&
	       v->deaths < v->deaths_max;
}

static void strike(struct chaos *c, struct child *v, int sig)
{
	history_add(c, "*", "KILL %s pid %d with %s", v->name, (int)v->pid, strsignal(sig));
	tree_expect(c, v, sig != SIGSTOP);
	c->killer->kills++;
	if (kill(v->pid, sig) < 0 && errno != ESRCH)
		fatal("cannot kill %d: %m", (int)v->pid);
	if (v->kind == KIND_WEBHOOKD && sig != SIGSTOP)
		recovery_probe(c);
}

static void by_kill(struct chaos *c, struct child *v)
{
	strike(c, v, SIGKILL);
}

static void by_segv(struct chaos *c, struct child *v)
{
	strike(c, v, SIGSEGV);
}

static void by_abort(struct chaos *c, struct child *v)
{
	strike(c, v, SIGABRT);
}

static void by_stop(struct chaos *c, struct child *v)
{
	strike(c, v, SIGSTOP);
}

static void by_pair(struct chaos *c, struct child *v)
{
	struct child *all = tree_children(c);
	const uint32_t from = rng_below(&c->rng, N_CHILDREN);
	strike(c, v, SIGKILL);
	for (uint32_t i = 0; i < N_CHILDREN; i++) {
		struct child *other = &all[(from + i) % N_CHILDREN];
		if (other != v && other->kind != KIND_ELECTOR && eligible(other)) {
			strike(c, other, SIGKILL);
			return;
		}
	}
}

static void write_file(const char *path, const char *text)
{
	_cleanup_free_ char *tmp = xasprintf("%s.new", path);
	FILE *f = fopen(tmp, "we");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0 || rename(tmp, path) < 0)
		fatal("%s: %m", path);
}

/* The mark that a watcher leaves when it dies while it verifies its store: the next one starts a
 * new store, and lists everything. It dies again in there. */
static void by_relist(struct chaos *c, struct child *v)
{
	if (v->kind != KIND_WATCHER) {
		strike(c, v, SIGKILL);
		return;
	}
	_cleanup_free_ char *mark = xasprintf("%s/store.verifying", c->o->rundir);
	write_file(mark, "");
	v->again = true;
	v->again_usec = 0;
	history_add(c, "*", "the next watcher has to list everything");
	strike(c, v, SIGKILL);
}

/* A worker dies at a line of its own: see workers/runtime/crashpoint.h. */
static void by_crash_point(struct chaos *c, struct child *v)
{
	static const char *const verbs[] = {"create", "patch", "delete", "get", "*"};
	static const char *const places[] = {"before",	"sent",	     "answered", "done",
					     "journal", "journaled", "clear",	 "cleared"};
	static const int signals[] = {SIGKILL, SIGKILL, SIGSEGV, SIGABRT};
	struct rng *r = &c->rng;
	if (!v->crash_points || !CRASH_POINTS) {
		strike(c, v, SIGKILL);
		return;
	}
	const char *place = places[rng_below(r, 8)], *verb = verbs[rng_below(r, 5)];
	if (place[0] == 'j' || place[0] == 'c')
		verb = "*";
	const int count = rng_between(r, 1, 5), sig = signals[rng_below(r, 4)];
	_cleanup_free_ char *path = xasprintf("%s/crash-%s", c->o->rundir, v->name);
	_cleanup_free_ char *text = xasprintf("%s %s %d %d\n", verb, place, count, sig);
	history_add(c, "*", "ARM %s: %s %s, time %d, with %s", v->name, verb, place, count,
		    strsignal(sig));
	write_file(path, text);
	v->armed = true;
	v->armed_usec = chaos_now();
}

static const struct {
	const char *name;
	void (*fn)(struct chaos *c, struct child *v);
	uint32_t weight;
} methods[] = {
    {"SIGKILL", by_kill, 34},
    {"SIGSEGV", by_segv, 8},
    {"SIGABRT", by_abort, 8},
    {"SIGSTOP", by_stop, 4},
    {"two at once", by_pair, 8},
    {"relist", by_relist, 10},
    {"crash point", by_crash_point, 28},
};
#define N_METHODS (sizeof(methods) / sizeof(methods[0]))

static const uint32_t weights[N_KINDS] = {[KIND_WATCHER] = 5,
					  [KIND_WEBHOOKD] = 4,
					  [KIND_CONFIG] = 2,
					  [KIND_ELECTOR] = 1,
					  [KIND_WORKER] = 6};

static struct child *draw_victim(struct chaos *c)
{
	struct child *all = tree_children(c);
	uint32_t total = 0;
	for (size_t i = 0; i < N_CHILDREN; i++)
		if (eligible(&all[i]) && !all[i].armed)
			total += weights[all[i].kind];
	uint32_t x = total ? rng_below(&c->rng, total) : 0;
	for (size_t i = 0; total && i < N_CHILDREN; i++) {
		if (!eligible(&all[i]) || all[i].armed)
			continue;
		if (x < weights[all[i].kind])
			return &all[i];
		x -= weights[all[i].kind];
	}
	return NULL;
}

/* The relist has begun, or is about to. */
static void kill_again(struct chaos *c, struct child *v)
{
	if (!v->again || !v->again_usec || !v->pid || chaos_now() < v->again_usec)
		return;
	v->again = false;
	strike(c, v, SIGKILL);
}

static void restart(struct chaos *c, struct child *v)
{
	history_add(c, "*", "kruisectl restart %s", v->name);
	v->restarting = true;
	v->deaths = 0;
	v->deaths_max = (unsigned)rng_between(&c->rng, 1, 4);
	const pid_t pid = fork();
	if (pid < 0)
		fatal("fork: %m");
	if (pid > 0)
		return;
	const int null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execl(c->o->kruisectl, "kruisectl", "--runtime-dir", c->o->rundir, "restart", v->name,
	      (char *)NULL);
	_exit(127);
}

/* The elector is left alone until it is forgiven: its orderly end would end leadership. */
static void clean_record(struct chaos *c, struct child *v)
{
	if (v->pid && chaos_now() > v->started_usec + 60500000u)
		v->deaths = 0;
	if (v->kind != KIND_ELECTOR && v->deaths >= v->deaths_max && v->pid && v->ready &&
	    v->acted && !v->restarting)
		restart(c, v);
	if (v->armed && chaos_now() > v->armed_usec + ARMED_USEC)
		v->armed = false; /* another death may take it first now */
}

static void tick(struct chaos *c)
{
	struct killer *k = c->killer;
	struct child *all = tree_children(c);
	for (size_t i = 0; i < N_CHILDREN; i++) {
		kill_again(c, &all[i]);
		if (!killer_done(c))
			clean_record(c, &all[i]);
	}
	if (killer_done(c) || chaos_now() < k->next_usec)
		return;
	struct child *v = draw_victim(c);
	if (!v)
		return;
	uint32_t x = rng_below(&c->rng, 100);
	size_t i = 0;
	while (x >= methods[i].weight)
		x -= methods[i++].weight;
	k->by_method[i]++;
	methods[i].fn(c, v);
	const int32_t ms = (int32_t)c->o->interval_ms;
	k->next_usec = chaos_now() + (uint64_t)rng_between(&c->rng, ms / 2, ms * 3 / 2) * 1000;
}

void killer_died(struct chaos *c, struct child *v)
{
	_cleanup_free_ char *path = xasprintf("%s/crash-%s", c->o->rundir, v->name);
	if (v->crash_points && unlink(path) < 0 && errno == ENOENT && !v->restarting &&
	    v->armed_usec && !v->killed_usec) {
		c->killer->kills++;
		v->killed_usec = v->died_usec;
		v->killed_hard = false;
	}
	v->armed = false;
	v->armed_usec = 0;
	if (!v->restarting)
		v->deaths++;
}

void killer_started(struct chaos *c, struct child *v)
{
	if (v->again)
		v->again_usec = chaos_now() + (uint64_t)rng_between(&c->rng, 2, 150) * 1000;
}

void killer_start(struct chaos *c)
{
	struct child *all = tree_children(c);
	c->killer->target = c->o->kills;
	for (size_t i = 0; i < N_CHILDREN; i++)
		all[i].deaths_max = (unsigned)rng_between(&c->rng, 1, 4);
	signal(SIGCHLD, SIG_IGN); /* kruisectl's end is of no interest */
	recovery_probe_start(c);
	chaos_every(c, TICK_USEC, tick);
}

bool killer_done(const struct chaos *c)
{
	return c->killer->kills >= c->killer->target;
}

int64_t killer_kills(const struct chaos *c)
{
	return c->killer->kills;
}

void killer_print(const struct chaos *c)
{
	for (size_t i = 0; i < N_METHODS; i++)
		printf("method: %s %lld\n", methods[i].name, (long long)c->killer->by_method[i]);
}

void killer_init(struct chaos *c)
{
	c->killer = xcalloc(1, sizeof(*c->killer));
}
