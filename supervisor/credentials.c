/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_KUBECONFIG (1u << 20)

static const char *kubeconfig_path(const struct supervisor *s)
{
	const char *env = getenv("KUBECONFIG");
	if (s->options.kubeconfig && *s->options.kubeconfig)
		return s->options.kubeconfig;
	return env && *env ? env : NULL;
}

/* Asked as that user: what is in the way may be any folder above the file. */
static bool user_can_read(const struct supervisor *s, const char *path)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setresgid(s->gid, s->gid, s->gid) < 0 ||
		    setresuid(s->uid, s->uid, s->uid) < 0)
			_exit(1);
		_exit(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) < 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int read_whole(const char *path, struct buf *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	char chunk[4096];
	ssize_t n;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && out->len <= MAX_KUBECONFIG)
		buf_add(out, chunk, (size_t)n);
	int saved = n < 0 ? errno : out->len > MAX_KUBECONFIG ? EFBIG : 0;
	close(fd);
	return saved ? err_set(e, saved, "%s: %s", path, strerror(saved)) : 0;
}

static int copy_file(const struct supervisor *s, const char *from, const char *to, struct err *e)
{
	_cleanup_buf_ struct buf text = {0};
	_cleanup_free_ char *temp = xasprintf("%s.new", to);
	int r = read_whole(from, &text, e);
	if (r < 0)
		return r;
	unlink(temp);
	int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", temp, strerror(errno));
	bool ok = fchown(fd, s->uid, s->gid) == 0 &&
		  write(fd, buf_str(&text), text.len) == (ssize_t)text.len;
	ok = close(fd) == 0 && ok;
	if (!ok || rename(temp, to) < 0)
		return err_set(e, EIO, "%s: cannot write", to);
	return 0;
}

int credentials_prepare(struct supervisor *s, struct err *e)
{
	const char *path = kubeconfig_path(s);
	if (!s->drop_user || !path || strchr(path, ':') || access(path, F_OK) < 0)
		return 0;
	if (!s->kubeconfig_copy) {
		if (user_can_read(s, path))
			return 0;
		s->kubeconfig_copy = xasprintf("%s/kubeconfig", s->options.runtime_dir);
		log_info("%s is not for user %s: children get a copy, %s; files that it names must "
			 "be in it (…-data fields), or be readable",
			 path, s->options.user, s->kubeconfig_copy);
	}
	return copy_file(s, path, s->kubeconfig_copy, e);
}
