/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/rest.h"
#include "tests/cluster/nodesim/pods.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct sim {
	struct sim_options options;
	sd_event *loop;
	struct k8s_client *client;
	struct sim_nodes *nodes;
	struct sim_pods *pods;
	bool registered, listed;
};

/* The file appears complete or not at all. */
static void write_ready_file(const char *path)
{
	_cleanup_free_ char *temp = xasprintf("%s.new", path);
	FILE *f = fopen(temp, "we");
	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) != 0 || rename(temp, path) < 0)
		fatal("%s: %m", path);
}

static void check_ready(struct sim *s)
{
	if (!s->registered || !s->listed)
		return;
	log_info("%u nodes are ready", s->options.nodes);
	if (s->options.ready_file)
		write_ready_file(s->options.ready_file);
}

static void on_registered(void *userdata)
{
	struct sim *s = userdata;
	s->registered = true;
	check_ready(s);
}

static void on_listed(void *userdata)
{
	struct sim *s = userdata;
	s->listed = true;
	check_ready(s);
}

static void on_awake(uint32_t node, void *userdata)
{
	struct sim *s = userdata;
	if (s->pods)
		sim_pods_wake(s->pods, node);
}

static const struct sim_nodes_ops nodes_ops = {.registered = on_registered, .awake = on_awake};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void report(const struct sim *s)
{
	const struct sim_pods_counts c = sim_pods_counts(s->pods);
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	log_info("pods %llu, writes %llu, bindings %llu, failures %llu, CPU %.3f s",
		 (unsigned long long)c.pods, (unsigned long long)c.writes,
		 (unsigned long long)c.binds, (unsigned long long)c.failures,
		 seconds(u.ru_utime) + seconds(u.ru_stime));
}

/* SIGUSR1: figures into the log. */
static int on_usr1(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	(void)source;
	(void)si;
	report(userdata);
	return 0;
}

static void set_up_loop(struct sim *s)
{
	sigset_t mask;
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0 || sd_event_default(&s->loop) < 0 ||
	    sd_event_add_signal(s->loop, NULL, SIGTERM, NULL, NULL) < 0 ||
	    sd_event_add_signal(s->loop, NULL, SIGINT, NULL, NULL) < 0 ||
	    sd_event_add_signal(s->loop, NULL, SIGUSR1, on_usr1, s) < 0)
		fatal("cannot set up the event loop");
	signal(SIGPIPE, SIG_IGN);
}

static void connect_client(struct sim *s)
{
	struct err e = {0};
	_cleanup_k8s_config_ struct k8s_config *config = NULL;
	const struct k8s_client_options o = {.user_agent = "nodesim",
					     .max_in_flight = s->options.max_in_flight};
	if (k8s_config_load(&config, s->options.kubeconfig, NULL, &e) < 0 ||
	    k8s_client_new(&s->client, s->loop, config, &o, &e) < 0)
		fatal("%s", e.msg);
}

int main(int argc, char **argv)
{
	struct sim s = {0};
	struct err e = {0};
	enum log_level level = LOG_LVL_INFO;
	log_init("nodesim", level, false);
	if (sim_options_parse(&s.options, argc, argv, &e) < 0)
		fatal("%s", e.msg);
	if (log_level_parse(s.options.verbosity, &level) < 0)
		fatal("bad log level %s", s.options.verbosity);
	log_set_level(level);

	set_up_loop(&s);
	connect_client(&s);
	s.nodes = sim_nodes_new(s.client, s.loop, &s.options, &nodes_ops, &s);
	s.pods = sim_pods_new(s.client, s.loop, &s.options, s.nodes, on_listed, &s);
	const int r = sd_event_loop(s.loop);
	report(&s);
	sim_pods_free(s.pods);
	sim_nodes_free(s.nodes);
	k8s_client_free(s.client);
	sd_event_unref(s.loop);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
