/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/chaos/chaos.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WHOLE_SEC 120 /* until every child is back after the last kill */

uint64_t chaos_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

struct timer {
	struct chaos *c;
	uint64_t usec;
	void (*fn)(struct chaos *c);
};

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct timer *t = userdata;
	(void)usec;
	t->fn(t->c);
	sd_event_source_set_time_relative(s, t->usec);
	return 0;
}

void chaos_every(struct chaos *c, uint64_t usec, void (*fn)(struct chaos *c))
{
	struct timer *t = xcalloc(1, sizeof(*t));
	sd_event_source *s = NULL;
	*t = (struct timer){c, usec, fn};
	if (sd_event_add_time_relative(c->loop, &s, CLOCK_MONOTONIC, usec, 1000, on_timer, t) < 0 ||
	    sd_event_source_set_enabled(s, SD_EVENT_ON) < 0)
		fatal("no timer");
}

static bool until(struct chaos *c, bool (*fn)(struct chaos *c), int64_t sec)
{
	const uint64_t end = chaos_now() + (uint64_t)sec * 1000000;
	while (!fn(c)) {
		if (sec && chaos_now() > end)
			return false;
		if (sd_event_run(c->loop, 100000) < 0)
			fatal("the event loop failed");
	}
	return true;
}

static bool synced(struct chaos *c)
{
	return record_synced(c);
}

static bool killed_enough(struct chaos *c)
{
	static uint64_t told;
	if (chaos_now() > told + 10000000) {
		told = chaos_now();
		fprintf(stderr, "chaos: %lld kills, %lld roll-outs, %lld admissions\n",
			(long long)killer_kills(c), (long long)driver_rollouts(c),
			(long long)steady_admissions(c));
	}
	return killer_done(c);
}

static bool idle(struct chaos *c)
{
	return steady_idle(c);
}

static int run(struct chaos *c)
{
	fill_start(c);
	until(c, fill_done, 0);
	record_start(c);
	steady_start(c);
	until(c, synced, 0);
	killer_init(c);
	tree_start(c);
	driver_start(c);
	if (!until(c, driver_settled, 180))
		fatal("the CloneSets were not ready before the first kill");
	driver_change(c, true);
	killer_start(c);
	until(c, killed_enough, 0);
	driver_change(c, false);
	const bool whole = until(c, tree_whole, WHOLE_SEC);
	if (!whole)
		fprintf(stderr, "chaos: not every child came back\n");
	/* each that takes longer than its deadline has said so itself */
	const bool settled = until(c, driver_settled, c->o->deadline_sec + 1);
	steady_stop(c);
	until(c, idle, 30);

	const struct record_faults f = record_faults(c);
	const int64_t failed = steady_failed(c), late = driver_unfinished(c);
	killer_print(c);
	recovery_print();
	printf("rollouts=%lld same_ids=%lld lost_in_webhookd=%lld children_back=%s\n",
	       (long long)driver_rollouts(c), (long long)f.same_ids, (long long)steady_lost(c),
	       whole ? "all" : "no");
	printf("chaos: kills=%lld admissions=%lld failed_admissions=%lld extra_pods=%lld "
	       "unavailable_breaches=%lld unfinished_rollouts=%lld worst_recovery_ms=%lld\n",
	       (long long)killer_kills(c), (long long)steady_admissions(c), (long long)failed,
	       (long long)f.extra_pods, (long long)f.unavailable_breaches, (long long)late,
	       (long long)recovery_worst_ms());
	return failed || f.extra_pods || f.unavailable_breaches || f.same_ids || late || !settled ||
		       !whole
		   ? EXIT_FAILURE
		   : EXIT_SUCCESS;
}

struct flag {
	const char *name;
	const char **text;
	int64_t *number;
};

static void parse(struct chaos_options *o, int argc, char **argv)
{
	const struct flag flags[] = {
	    {"kubeconfig", &o->kubeconfig, NULL},
	    {"namespace", &o->namespace_, NULL},
	    {"log", &o->log, NULL},
	    {"rundir", &o->rundir, NULL},
	    {"kruisectl", &o->kruisectl, NULL},
	    {"webhook", &o->webhook, NULL},
	    {"history", &o->history, NULL},
	    {"kills", NULL, &o->kills},
	    {"seed", NULL, &o->seed},
	    {"interval-ms", NULL, &o->interval_ms},
	    {"rate", NULL, &o->rate},
	    {"fill", NULL, &o->fill},
	    {"deadline", NULL, &o->deadline_sec},
	};
	const size_t n = sizeof(flags) / sizeof(flags[0]);
	struct option options[16] = {0};
	for (size_t i = 0; i < n; i++)
		options[i] = (struct option){flags[i].name, required_argument, NULL, 0};
	for (int i = -1; getopt_long(argc, argv, "", options, &i) != -1; i = -1) {
		if (i < 0)
			exit(2);
		if (flags[i].text)
			*flags[i].text = optarg;
		else
			*flags[i].number = strtoll(optarg, NULL, 10);
	}
	if (optind != argc || !o->log || !o->rundir || !o->kruisectl || !o->webhook ||
	    o->rate < 1 || o->interval_ms < 2)
		fatal("--log, --rundir, --kruisectl and --webhook are needed");
}

int main(int argc, char **argv)
{
	struct chaos_options o = {.namespace_ = "default",
				  .kills = 1000,
				  .seed = 1,
				  .interval_ms = 300,
				  .rate = 4,
				  .deadline_sec = 180};
	struct chaos c = {.o = &o};
	struct err e = {0};
	_cleanup_k8s_config_ struct k8s_config *config = NULL;
	const struct k8s_client_options client = {.user_agent = "kruise-chaos"};
	log_init("kruise-chaos", LOG_LVL_WARN, false);
	signal(SIGPIPE, SIG_IGN);
	parse(&o, argc, argv);
	c.rng.state = (uint64_t)o.seed;
	c.history = history_open(o.history);
	if (sd_event_default(&c.loop) < 0)
		fatal("no event loop");
	if (k8s_config_load(&config, o.kubeconfig, NULL, &e) < 0 ||
	    k8s_client_new(&c.client, c.loop, config, &client, &e) < 0)
		fatal("%s", e.msg);
	return run(&c);
}
