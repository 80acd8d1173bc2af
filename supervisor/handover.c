/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/handover.h"

#include "ipc/base/log.h"
#include "supervisor/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FDS_ENV "KRUISED_HANDOVER_FDS"
#define MAX_STATE (1u << 20)

/* ---- the descriptors ---- */

struct named_fd {
	const char *name;
	int *fd;
};
#define N_NAMED (N_SOCKETS + 4)

static void name_fds(struct supervisor *s, struct named_fd out[N_NAMED])
{
	const struct named_fd table[N_NAMED] = {
	    {"webhook", &s->sockets[SOCKET_WEBHOOK].fd},
	    {"health", &s->sockets[SOCKET_HEALTH].fd},
	    {"metrics", &s->sockets[SOCKET_METRICS].fd},
	    {"lock", &s->lock_fd},
	    {"ctl", &s->handover.ctl_fd},
	    {"client", &s->handover.client_fd},
	    {"state", &s->handover.state_fd},
	};
	memcpy(out, table, sizeof(table));
}

static void set_cloexec(int fd, bool on)
{
	fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0);
}

bool handover_take_fds(struct supervisor *s)
{
	struct named_fd named[N_NAMED];
	const char *env = getenv(FDS_ENV);
	if (!env)
		return false;
	_cleanup_free_ char *copy = xstrdup(env);
	char *save = NULL;
	name_fds(s, named);
	for (char *t = strtok_r(copy, ",", &save); t; t = strtok_r(NULL, ",", &save)) {
		char *colon = strchr(t, ':');
		int fd = colon ? atoi(colon + 1) : -1;
		if (fd < 3 || fcntl(fd, F_GETFD) < 0)
			continue;
		set_cloexec(fd, true);
		*colon = '\0';
		size_t i = 0;
		while (i < N_NAMED && strcmp(named[i].name, t) != 0)
			i++;
		if (i < N_NAMED && *named[i].fd < 0)
			*named[i].fd = fd;
		else
			close(fd);
	}
	unsetenv(FDS_ENV);
	s->handover.happened = true;
	return true;
}

static int make_state(const struct supervisor *s, struct err *e)
{
	_cleanup_buf_ struct buf text = {0};
	handover_print(s, &text);
	int fd = memfd_create("kruised-handover", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(e, errno, "memfd_create: %s", strerror(errno));
	if (write(fd, text.p, text.len) == (ssize_t)text.len)
		return fd;
	close(fd);
	return err_set(e, EIO, "the state cannot be written");
}

int handover_exec(struct supervisor *s, const char *program, int client, struct err *e)
{
	struct named_fd named[N_NAMED];
	_cleanup_buf_ struct buf list = {0};
	int state = make_state(s, e);
	if (state < 0)
		return state;
	s->handover.state_fd = state;
	s->handover.client_fd = client;
	s->handover.ctl_fd = ctl_server_fd(s);
	name_fds(s, named);
	for (size_t i = 0; i < N_NAMED; i++) {
		if (*named[i].fd < 0)
			continue;
		set_cloexec(*named[i].fd, false);
		buf_printf(&list, "%s%s:%d", list.len ? "," : "", named[i].name, *named[i].fd);
	}
	setenv(FDS_ENV, buf_str(&list), 1);
	execv(program, s->argv);
	int saved = errno;
	unsetenv(FDS_ENV);
	for (size_t i = 0; i < N_NAMED; i++)
		if (*named[i].fd >= 0)
			set_cloexec(*named[i].fd, true);
	close(state);
	s->handover.state_fd = s->handover.client_fd = s->handover.ctl_fd = -1;
	return err_set(e, saved, "%s: %s", program, strerror(saved));
}

/* ---- the children ---- */

/* Children of whoever this process was before. */
static void end_all_children(void)
{
	/* SIGKILL to what is known to be ours: each pid in the kernel's list of our children */
	_cleanup_free_ char *path = xasprintf("/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(path, "re");
	int pid;
	if (!f) {
		log_error("%s: %s; old children may go on running", path, strerror(errno));
		return;
	}
	while (fscanf(f, "%d", &pid) == 1)
		if (pid > 1)
			kill(pid, SIGKILL);
	fclose(f);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static int read_state(int fd, struct buf *out)
{
	char chunk[4096];
	ssize_t n;
	off_t at = 0;
	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0 && out->len < MAX_STATE) {
		buf_add(out, chunk, (size_t)n);
		at += n;
	}
	return n < 0 ? -errno : 0;
}

static void start_afresh(struct supervisor *s, const char *why)
{
	log_warn("taking over failed: %s; all children are ended and started anew", why);
	for (size_t i = 0; i < s->n_services; i++)
		s->services[i] =
		    (struct service){.def = s->services[i].def, .sandbox = s->services[i].sandbox};
	leadership_init(&s->leadership, s->options.leader_elect);
	s->configured = false;
	end_all_children();
}

/* The connection to it is gone: what it said last is as good as a beat, for a moment. */
static void resume(struct supervisor *s)
{
	uint64_t now = now_usec();
	for (size_t i = 0; i < s->n_services; i++) {
		struct service *v = &s->services[i];
		if (v->state == SERVICE_RUNNING)
			v->beat_usec = now;
		else if (v->state == SERVICE_STARTING)
			v->started_usec = now;
	}
	process_reap(s);
}

void handover_take_children(struct supervisor *s)
{
	_cleanup_buf_ struct buf text = {0};
	struct err e = {0};
	int *unknown = NULL;
	size_t n_unknown = 0;
	int r = s->handover.state_fd < 0 ? -ENOENT : read_state(s->handover.state_fd, &text);
	if (r == 0)
		r = handover_parse(s, buf_str(&text), text.len, &unknown, &n_unknown, &e);
	if (s->handover.state_fd >= 0)
		close(s->handover.state_fd);
	s->handover.state_fd = -1;
	if (r < 0) {
		start_afresh(s, *e.msg ? e.msg : "there is no state");
	} else {
		for (size_t i = 0; i < n_unknown; i++)
			kill(unknown[i], SIGKILL);
		resume(s);
		log_info("this kruised has taken over from its predecessor, with all children");
	}
	free(unknown);
}
