/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Address space beyond the memory limit: the store's map, and what libraries only reserve. */
#define ADDRESS_SPACE_EXTRA ((uint64_t)8 << 30)
#define TERM_AFTER_USEC 500000u

int process_user(struct supervisor *s, struct err *e)
{
	const char *name = s->options.user;
	if (!name || !*name)
		return 0;
	errno = 0;
	struct passwd *pw = getpwnam(name);
	if (!pw)
		return err_set(e, errno ? errno : ENOENT, "--user=%s: no such user", name);
	if (geteuid() != 0 && pw->pw_uid != geteuid())
		return err_set(e, EPERM, "--user=%s: only root can start children as another user",
			       name);
	s->uid = pw->pw_uid;
	s->gid = pw->pw_gid;
	s->drop_user = geteuid() == 0;
	return 0;
}

bool process_limit_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return false; /* its shadow needs terabytes of address space */
#else
	const char *no = getenv("KRUISED_NO_RLIMIT_AS");
	return !no || strcmp(no, "1") != 0;
#endif
}

/* A growing vector of strings, NULL-terminated. */
struct words {
	char **p;
	size_t n;
};

static void words_add(struct words *w, char *word)
{
	w->p = xrealloc(w->p, (w->n + 2) * sizeof(char *));
	w->p[w->n++] = word;
	w->p[w->n] = NULL;
}

static void words_free(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->p[i]);
	free(w->p);
}

static struct words make_argv(const struct supervisor *s, const struct service *v)
{
	struct words w = {0};
	words_add(&w, xasprintf("%s/%s", s->libexec_dir, v->def->program));
	if (v->def->worker)
		words_add(&w, xstrdup(v->def->worker));
	for (int i = 1; i < s->argc; i++)
		words_add(&w, xstrdup(s->argv[i]));
	if (s->kubeconfig_copy)
		words_add(&w, xasprintf("--kubeconfig=%s", s->kubeconfig_copy));
	return w;
}

/* Not for children: what systemd told the supervisor, and what is set below. */
static bool is_private(const char *entry)
{
	static const char *const names[] = {
	    "NOTIFY_SOCKET=",	    "WATCHDOG_USEC=",	   "WATCHDOG_PID=",
	    "LISTEN_FDS=",	    "LISTEN_PID=",	   "LISTEN_FDNAMES=",
	    "KRUISED_TOKEN=",	    "KRUISED_CONTROL=",	   "KRUISED_RUNDIR=",
	    "KRUISED_NAME=",	    "KRUISED_FD_",	   "RUNTIME_DIRECTORY=",
	    "KRUISED_SANDBOX=",	    "KRUISED_CORE_DUMPS=", "KRUISED_HANDOVER_FDS=",
	    "KRUISED_LEADER_UNTIL="};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(entry, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static struct words make_env(const struct supervisor *s, const struct service *v)
{
	struct words w = {0};
	uint16_t webhook_port = s->sockets[SOCKET_WEBHOOK].port;
	for (char **p = environ; *p; p++) {
		if (is_private(*p) || strncmp(*p, "WEBHOOK_PORT=", 13) == 0)
			continue;
		words_add(&w, xstrdup(*p));
	}
	words_add(&w, xasprintf("WEBHOOK_PORT=%u", webhook_port));
	words_add(&w, xasprintf("KRUISED_TOKEN=%s", v->token));
	words_add(&w, xasprintf("KRUISED_CONTROL=%s", s->control_endpoint));
	words_add(&w, xasprintf("KRUISED_RUNDIR=%s", s->options.runtime_dir));
	words_add(&w, xasprintf("RUNTIME_DIRECTORY=%s", s->options.runtime_dir));
	words_add(&w, xasprintf("KRUISED_NAME=%s", v->def->name));
	words_add(&w, xasprintf("KRUISED_SANDBOX=%s", s->options.sandbox));
	words_add(&w, xasprintf("KRUISED_CORE_DUMPS=%d", s->options.core_dumps));
	if (v->def->flags & SERVICE_LEADER_ONLY)
		words_add(&w, xasprintf("KRUISED_LEADER_UNTIL=%" PRIu64, s->leadership.until_usec));
	for (size_t k = 0; (v->def->flags & SERVICE_SOCKETS) && k < N_SOCKETS; k++)
		if (s->sockets[k].fd >= 0)
			words_add(&w, xasprintf("KRUISED_FD_%s=%d", s->sockets[k].name,
						s->sockets[k].fd));
	return w;
}

static int make_token(char token[33])
{
	unsigned char random[16];
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -EIO;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

/* Between fork and exec: nothing that takes a lock or memory. */
static void child_fail(const char *what)
{
	char text[96] = "kruised: child: ";
	size_t n = strlen(text), k = strlen(what);
	memcpy(text + n, what, k);
	n += k;
	text[n++] = ' ';
	unsigned num = (unsigned)errno;
	for (unsigned div = 100; div; div /= 10)
		text[n++] = (char)('0' + num / div % 10);
	text[n++] = '\n';
	ssize_t w = write(STDERR_FILENO, text, n);
	(void)w;
	_exit(127);
}

static void note(const struct sandbox_plan *p, enum sandbox_layer layer, int value)
{
	p->report->layer[layer] = (int16_t)value;
}

static void child_limits(const struct service *v, const struct sandbox_plan *p,
			 const struct cgroup_child *group, bool limit_memory)
{
	const struct rlimit no_core = {0, 0};
	if (!p->core_dumps && setrlimit(RLIMIT_CORE, &no_core) == 0)
		note(p, LAYER_CORE, 1);
	if (group->fd >= 0 && write(group->fd, "0", 1) == 1) {
		note(p, LAYER_MEMORY, 1);
		note(p, LAYER_CPU, group->cpu);
		return;
	}
	if (!limit_memory)
		return;
	/* RLIMIT_DATA counts private writable memory, which is what leaks; the shared map of the
	 * store is not in it. */
	const struct rlimit data = {v->def->memory, v->def->memory};
	const rlim_t as = v->def->memory + ADDRESS_SPACE_EXTRA;
	const struct rlimit space = {as, as};
	if (setrlimit(RLIMIT_DATA, &data) < 0 || setrlimit(RLIMIT_AS, &space) < 0)
		child_fail("setrlimit: errno");
	note(p, LAYER_MEMORY, 2);
}

/* What the parent has made ready for the child. */
struct start {
	pid_t parent;
	struct cgroup_child group;
	bool limit_memory;
	char **argv, **env;
	struct sandbox_plan sandbox;
};

static void child_run(const struct supervisor *s, const struct service *v, const struct start *t)
{
	sigset_t none;
	sigemptyset(&none);
	setsid(); /* a terminal's ^C is for the supervisor, which stops in order */
	umask(077);
	child_limits(v, &t->sandbox, &t->group, t->limit_memory);
	const char *failed = sandbox_enter(&t->sandbox);
	if (failed)
		child_fail(failed);
	/* after the change of user, which clears it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		child_fail("PDEATHSIG: errno");
	if (getppid() != t->parent)
		_exit(127);
	if (dup2(s->null_fd, STDIN_FILENO) < 0)
		child_fail("stdin: errno");
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	for (size_t k = 0; (v->def->flags & SERVICE_SOCKETS) && k < N_SOCKETS; k++)
		if (s->sockets[k].fd >= 0)
			fcntl(s->sockets[k].fd, F_SETFD, 0);
	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sandbox_filter(&t->sandbox);
	execve(t->argv[0], t->argv, t->env);
	child_fail("exec: errno");
}

static pid_t spawn(const struct supervisor *s, const struct service *v)
{
	struct words argv = make_argv(s, v);
	struct words env = make_env(s, v);
	struct start t = {
	    .parent = getpid(),
	    .group = cgroups_child(&s->cgroups, v->def),
	    .limit_memory = process_limit_memory(),
	    .argv = argv.p,
	    .env = env.p,
	};
	sandbox_plan(s, v->def, v->sandbox, &t.sandbox);
	pid_t pid = fork();
	if (pid == 0)
		child_run(s, v, &t);
	int saved = errno;
	if (t.group.fd >= 0)
		close(t.group.fd);
	sandbox_plan_free(&t.sandbox);
	words_free(&argv);
	words_free(&env);
	return pid < 0 ? -saved : pid;
}

void process_start(struct supervisor *s, struct service *v)
{
	struct err e = {0};
	if (s->kubeconfig_copy && credentials_prepare(s, &e) < 0)
		log_warn("the old copy stays: %s", e.msg);
	pid_t pid = make_token(v->token) < 0 ? -EIO : spawn(s, v);
	v->started_usec = now_usec();
	v->beat_usec = 0;
	v->identity_len = 0;
	v->ready = false;
	v->note[0] = '\0';
	v->reason = END_CRASH;
	v->term_usec = v->deadline_usec = UINT64_MAX;
	if (pid < 0) {
		log_error("%s: cannot start: %s", v->def->name, strerror(-pid));
		monitor_died(s, v);
		return;
	}
	v->pid = pid;
	v->starts++;
	v->state = SERVICE_STARTING;
	if (v->def->flags & SERVICE_ELECTOR)
		leadership_new_elector(&s->leadership);
	log_info("%s: started, pid %d", v->def->name, (int)pid);
}

void process_signal(const struct service *v, int sig)
{
	/* The number cannot be another's: only process_reap() waits for our children. */
	if (v->pid > 0 && kill(v->pid, sig) < 0)
		log_warn("%s: kill(%d, %d): %s", v->def->name, (int)v->pid, sig, strerror(errno));
}

void process_kill(struct service *v, enum end_reason reason)
{
	process_signal(v, SIGKILL);
	if (v->reason == END_CRASH || reason == END_SHUTDOWN)
		v->reason = reason;
	v->state = SERVICE_KILLED;
}

void process_stop(struct supervisor *s, struct service *v, enum end_reason reason,
		  uint64_t limit_usec)
{
	uint64_t now = now_usec();
	const struct control_msg stop = {.type = CONTROL_STOP};
	/* The message comes after those before it; a signal may overtake them. */
	bool sent = control_send(s, v, &stop) == 0;
	v->reason = reason;
	v->state = SERVICE_STOPPING;
	v->term_usec = sent ? now + TERM_AFTER_USEC : now;
	v->deadline_usec = now + limit_usec;
}

static struct service *find_pid(struct supervisor *s, pid_t pid)
{
	for (size_t i = 0; i < s->n_services; i++)
		if (s->services[i].pid == pid)
			return &s->services[i];
	return NULL;
}

void process_reap(struct supervisor *s)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct service *v = find_pid(s, pid);
		if (v)
			monitor_exited(s, v, status);
		else if (!reload_exited(s, pid, status))
			log_debug("reaped process %d, which was not ours", (int)pid);
	}
}
