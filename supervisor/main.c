/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"
#include "rules/gates.h"
#include "supervisor/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int on_stop_signal(sd_event_source *src, const struct signalfd_siginfo *si, void *userdata)
{
	(void)src;
	stop_begin(userdata, si->ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
	return 0;
}

static int on_hup(sd_event_source *src, const struct signalfd_siginfo *si, void *userdata)
{
	(void)src;
	(void)si;
	struct err e = {0};
	if (reload_begin(userdata, 0, &e) < 0)
		log_warn("SIGHUP: %s", e.msg);
	return 0;
}

static int on_child(sd_event_source *src, const struct signalfd_siginfo *si, void *userdata)
{
	(void)src;
	(void)si;
	process_reap(userdata);
	return 0;
}

static int add_signals(struct supervisor *s, struct err *e)
{
	static const struct {
		int sig;
		sd_event_signal_handler_t handler;
	} table[] = {{SIGTERM, on_stop_signal},
		     {SIGINT, on_stop_signal},
		     {SIGHUP, on_hup},
		     {SIGCHLD, on_child}};
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		sigaddset(&set, table[i].sig);
	/* before any thread is made, so that all inherit it */
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_set(e, errno, "sigprocmask: %s", strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		int r = sd_event_add_signal(s->loop, NULL, table[i].sig, table[i].handler, s);
		if (r < 0)
			return err_set(e, -r, "signal %d: %s", table[i].sig, strerror(-r));
	}
	return 0;
}

/* Where the children's programs are: the flag, else the folder of this very program. */
static int find_libexec(struct supervisor *s, struct err *e)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (n < 0)
		return err_set(e, errno, "/proc/self/exe: %s", strerror(errno));
	path[n] = '\0';
	s->program = xstrdup(path);
	if (s->options.libexec_dir && *s->options.libexec_dir) {
		s->libexec_dir = realpath(s->options.libexec_dir, NULL);
		if (!s->libexec_dir)
			return err_set(e, errno, "--libexec-dir=%s: %s", s->options.libexec_dir,
				       strerror(errno));
		return 0;
	}
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	s->libexec_dir = xstrdup(path);
	return 0;
}

static void make_services(struct supervisor *s)
{
	s->n_services = n_service_defs;
	s->services = xcalloc(s->n_services, sizeof(*s->services));
	s->reports = sandbox_reports_new(s->n_services);
	s->filters_missing = seccomp_programs(s->filters);
	for (size_t i = 0; i < s->n_services; i++)
		s->services[i] =
		    (struct service){.def = &service_defs[i], .sandbox = &s->reports[i]};
	leadership_init(&s->leadership, s->options.leader_elect);
}

static int set_up(struct supervisor *s, struct err *e)
{
	int (*const steps[])(struct supervisor *, struct err *) = {
	    add_signals,	 find_libexec, process_user, rundir_prepare,
	    credentials_prepare, sockets_open, control_open, ctl_server_open,
	};
	s->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (s->null_fd < 0)
		return err_set(e, errno, "/dev/null: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int r = steps[i](s, e);
		if (r < 0)
			return r;
	}
	cgroups_init(&s->cgroups, s->handover.happened);
	make_services(s);
	s->telemetry = telemetry_new();
	if (s->handover.happened) {
		handover_take_children(s);
		reload_resume(s);
	}
	return 0;
}

static void tear_down(struct supervisor *s)
{
	sd_event_source_disable_unref(s->tick_timer);
	sd_event_source_disable_unref(s->tick_post);
	ctl_server_close(s);
	control_close(s);
	for (size_t k = 0; k < N_SOCKETS; k++)
		if (s->sockets[k].fd >= 0)
			close(s->sockets[k].fd);
	sd_event_unref(s->loop);
	close(s->null_fd);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	telemetry_free(s->telemetry);
	free(s->services);
	free(s->libexec_dir);
	free(s->program);
	free(s->control_endpoint);
	free(s->kubeconfig_copy);
	for (int kind = 0; kind < N_SANDBOX_KINDS; kind++)
		free(s->filters[kind].filter);
}

/* The children would only restart over and over. An error's text has no room for all names. */
static int check_gates(const struct options *o)
{
	_cleanup_buf_ struct buf known = {0};
	const struct gates defaults = gates_default();
	struct gates gates;
	struct err e = {0};
	if (gates_parse(o->feature_gates, getenv("CUSTOM_RESOURCE_ENABLE"), &gates, &e) == 0)
		return 0;
	gates_print(&known, &defaults);
	log_error("--feature-gates: %.*s", (int)strcspn(e.msg, ";"), e.msg);
	log_error("feature gates and their defaults: %s; and AllAlpha, AllBeta", buf_str(&known));
	return -EINVAL;
}

int main(int argc, char **argv)
{
	struct supervisor s = {.argc = argc, .argv = argv, .null_fd = -1, .lock_fd = -1};
	struct err e = {0};
	for (size_t k = 0; k < N_SOCKETS; k++)
		s.sockets[k].fd = -1;
	s.handover.ctl_fd = s.handover.client_fd = s.handover.state_fd = -1;
	handover_take_fds(&s);
	log_init("kruised", LOG_LVL_INFO, false);
	if (options_parse(&s.options, argc, argv, &e) < 0) {
		log_error("%s", e.msg);
		return 2;
	}
	enum log_level level = LOG_LVL_INFO;
	log_level_parse(s.options.verbosity, &level);
	log_init("kruised", level, strcmp(s.options.logging_format, "json") == 0);
	if (check_gates(&s.options) < 0)
		return 2;
	umask(077);
	s.begun_usec = now_usec();
	if (sd_event_new(&s.loop) < 0 || set_up(&s, &e) < 0)
		fatal("%s", *e.msg ? e.msg : "cannot make an event loop");
	/* fed by the loop itself: a supervisor that hangs is restarted by systemd */
	if (sd_event_set_watchdog(s.loop, true) < 0)
		log_warn("the systemd watchdog cannot be set up");
	if (monitor_start(&s, &e) < 0)
		fatal("%s", e.msg);
	int r = sd_event_loop(s.loop);
	if (r < 0)
		log_error("event loop: %s", strerror(-r));
	tear_down(&s);
	return r < 0 ? EXIT_FAILURE : r;
}
