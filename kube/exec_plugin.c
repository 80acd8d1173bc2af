/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/exec_plugin.h"

#include "ipc/base/buf.h"
#include "kube/json.h"
#include "kube/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OUTPUT ((size_t)1 << 20)

extern char **environ;

void exec_credential_clear(struct exec_credential *c)
{
	free(c->token);
	free(c->cert);
	free(c->key);
	*c = (struct exec_credential){0};
}

static char *dup_field(const val *status, const char *key)
{
	struct str s = val_str(val_get(status, key));
	return s.n && !memchr(s.p, '\0', s.n) ? xstrndup(s.p, s.n) : NULL;
}

int exec_credential_parse(const char *json, size_t n, struct exec_credential *out, struct err *e)
{
	_cleanup_arena_ arena *a = arena_new();
	val v;
	*out = (struct exec_credential){0};
	if (json_parse(a, json, n, &v, e) < 0) {
		err_wrap(e, "its output is no JSON");
		return -EINVAL;
	}
	if (!val_is(val_get(&v, "kind"), "ExecCredential"))
		return err_set(e, EINVAL, "its output is no ExecCredential");
	if (!str_has_prefix(val_str(val_get(&v, "apiVersion")), "client.authentication.k8s.io/"))
		return err_set(e, EINVAL, "the apiVersion of its ExecCredential is not known");
	const val *status = val_get(&v, "status");
	const val *expiry = val_get(status, "expirationTimestamp");
	if (!val_is_null(expiry) && !k8s_time_parse_usec(val_str(expiry), &out->expires_usec))
		return err_set(e, EINVAL, "status.expirationTimestamp is no time");
	out->token = dup_field(status, "token");
	out->cert = dup_field(status, "clientCertificateData");
	out->key = dup_field(status, "clientKeyData");
	if (!out->cert != !out->key) {
		exec_credential_clear(out);
		return err_set(
		    e, EINVAL,
		    "status.clientCertificateData and status.clientKeyData belong together");
	}
	if (!out->token && !out->cert)
		return err_set(e, EINVAL, "its status has neither a token nor a certificate");
	return 0;
}

static int64_t left_ms(const struct timespec *deadline)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t ms =
	    (deadline->tv_sec - now.tv_sec) * 1000 + (deadline->tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? ms : 0;
}

static int wait_readable(int fd, const struct timespec *deadline)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int r = poll(&p, 1, (int)left_ms(deadline));
		if (r > 0)
			return 0;
		if (r == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int read_all(int fd, struct buf *out, const struct timespec *deadline)
{
	for (;;) {
		int r = wait_readable(fd, deadline);
		if (r < 0)
			return r;
		char chunk[4096];
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		if (out->len + (size_t)n > MAX_OUTPUT)
			return -EFBIG;
		buf_add(out, chunk, (size_t)n);
	}
}

/* Our environment with the plugin's variables in front: getenv() finds the first. */
static char **make_env(const struct k8s_exec *x, char *info)
{
	size_t n = 0, own = 0;
	while (environ && environ[n])
		n++;
	while (x->env && x->env[own])
		own++;
	char **env = xcalloc(n + own + 2, sizeof(*env));
	size_t at = 0;
	for (size_t i = 0; i < own; i++)
		env[at++] = x->env[i];
	env[at++] = info;
	for (size_t i = 0; i < n; i++) {
		size_t name = strcspn(environ[i], "=") + 1;
		bool replaced = strncmp(environ[i], info, name) == 0;
		for (size_t k = 0; k < own && !replaced; k++)
			replaced = strncmp(environ[i], x->env[k], name) == 0;
		if (!replaced)
			env[at++] = environ[i];
	}
	return env;
}

static int spawn(const struct k8s_exec *x, int out_fd, pid_t *pid)
{
	size_t n = 0;
	while (x->args && x->args[n])
		n++;
	char **argv = xcalloc(n + 2, sizeof(*argv));
	argv[0] = x->command;
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = x->args[i];
	_cleanup_free_ char *info =
	    xasprintf("KUBERNETES_EXEC_INFO={\"apiVersion\":\"%s\",\"kind\":"
		      "\"ExecCredential\",\"spec\":{\"interactive\":false}}",
		      x->api_version);
	char **env = make_env(x, info);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out_fd, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	int r = posix_spawnp(pid, x->command, &files, &attr, argv, env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	free(argv);
	free(env);
	return -r;
}

/* The exit status, or -ETIMEDOUT after killing it. */
static int reap(pid_t pid, const struct timespec *deadline, bool kill_now, int *status)
{
	int r = 0;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (kill_now || fd < 0)
		r = kill_now ? -ETIMEDOUT : 0;
	else
		r = wait_readable(fd, deadline);
	if (fd >= 0)
		close(fd);
	if (r < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return r;
}

int exec_plugin_run(const struct k8s_exec *x, struct exec_credential *out, struct err *e)
{
	int fds[2];
	pid_t pid;
	_cleanup_buf_ struct buf output = {0};
	struct timespec deadline;
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += EXEC_PLUGIN_LIMIT_SECONDS;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(e, errno, "cannot run %s: %s", x->command, strerror(errno));
	int r = spawn(x, fds[1], &pid);
	close(fds[1]);
	if (r < 0) {
		close(fds[0]);
		return err_set(e, -r, "cannot run the credential plugin %s: %s", x->command,
			       strerror(-r));
	}
	r = read_all(fds[0], &output, &deadline);
	close(fds[0]);
	int status = 0;
	int waited = reap(pid, &deadline, r < 0, &status);
	if (r == 0)
		r = waited;
	if (r < 0)
		return err_set(e, -r, "the credential plugin %s was killed: %s", x->command,
			       r == -ETIMEDOUT ? "no answer in 10 seconds" : strerror(-r));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(e, EPERM, "the credential plugin %s failed with status %d",
			       x->command, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	r = exec_credential_parse(buf_str(&output), output.len, out, e);
	if (r < 0)
		err_wrap(e, "credential plugin %s", x->command);
	return r;
}
