/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Parents get 0755; the directory itself is private. */
static int make_dir(const char *path, mode_t mode, struct err *e)
{
	_cleanup_free_ char *copy = xstrdup(path);
	for (char *p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return err_set(e, errno, "mkdir %s: %s", copy, strerror(errno));
		*p = '/';
	}
	if (mkdir(path, mode) < 0 && errno != EEXIST)
		return err_set(e, errno, "mkdir %s: %s", path, strerror(errno));
	return 0;
}

/* The directory may be there already (systemd makes it): then it must be ours to close to others.
 * The run directory may be a symbolic link (systemd's for dynamic users); what is below, which
 * children can write, may not. */
static int own_dir(const struct supervisor *s, const char *path, int flags, struct err *e)
{
	int r = make_dir(path, 0700, e);
	if (r < 0)
		return r;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	struct stat st;
	r = 0;
	if (fstat(fd, &st) < 0)
		r = err_set(e, errno, "%s: %s", path, strerror(errno));
	else if ((st.st_mode & 07777) != 0700 && fchmod(fd, 0700) < 0)
		r = err_set(e, errno, "%s: cannot set mode 0700: %s", path, strerror(errno));
	else if (s->drop_user && st.st_uid != s->uid && fchown(fd, s->uid, s->gid) < 0)
		r = err_set(e, errno, "%s: cannot give it to user %s: %s", path, s->options.user,
			    strerror(errno));
	close(fd);
	return r;
}

static int take_lock(struct supervisor *s, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/lock", s->options.runtime_dir);
	if (s->lock_fd >= 0) /* from a handover, and still locked */
		return 0;
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int saved = errno;
		char holder[32] = "";
		ssize_t n = pread(fd, holder, sizeof(holder) - 1, 0);
		holder[n > 0 ? strspn(holder, "0123456789") : 0] = '\0';
		close(fd);
		if (saved == EWOULDBLOCK)
			return err_set(e, EBUSY,
				       "another kruised%s%s uses the run directory %s; stop it, or "
				       "give this one another --runtime-dir",
				       *holder ? ", process " : "", holder, s->options.runtime_dir);
		return err_set(e, saved, "%s: %s", path, strerror(saved));
	}
	if (ftruncate(fd, 0) < 0 || dprintf(fd, "%d\n", (int)getpid()) < 0) {
		int saved = errno;
		close(fd);
		return err_set(e, saved, "%s: %s", path, strerror(saved));
	}
	s->lock_fd = fd;
	return 0;
}

static void check_file_system(const char *dir)
{
	struct statfs fs;
	if (statfs(dir, &fs) < 0)
		return;
	if (fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC)
		log_warn("the run directory %s is not on tmpfs: the object store costs disk writes",
			 dir);
}

#define CHECK_USEC 1000000u

void rundir_check(struct supervisor *s, uint64_t now)
{
	struct stat there, ours;
	if (now - s->rundir_checked_usec < CHECK_USEC)
		return;
	s->rundir_checked_usec = now;
	_cleanup_free_ char *path = xasprintf("%s/lock", s->options.runtime_dir);
	if (fstat(s->lock_fd, &ours) == 0 && stat(path, &there) == 0 &&
	    there.st_ino == ours.st_ino && there.st_dev == ours.st_dev)
		return;
	fatal("the run directory %s was removed or replaced under us", s->options.runtime_dir);
}

int rundir_prepare(struct supervisor *s, struct err *e)
{
	const char *dir = s->options.runtime_dir;
	/* the longest socket in there */
	if (strlen(dir) + sizeof("/control") > sizeof(((struct sockaddr_un *)0)->sun_path))
		return err_set(e, ENAMETOOLONG,
			       "--runtime-dir=%s: too long for a socket's path (limit %zu)", dir,
			       sizeof(((struct sockaddr_un *)0)->sun_path) - sizeof("/control"));
	int r = own_dir(s, dir, 0, e);
	if (r < 0)
		return r;
	r = take_lock(s, e);
	if (r < 0)
		return r;
	_cleanup_free_ char *metrics = xasprintf("%s/metrics", dir);
	r = own_dir(s, metrics, O_NOFOLLOW, e);
	if (r < 0)
		return r;
	check_file_system(dir);
	return 0;
}

int rundir_write(const struct supervisor *s, const char *name, const char *text, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->options.runtime_dir, name);
	_cleanup_free_ char *temp = xasprintf("%s.new", path);
	unlink(temp);
	int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", temp, strerror(errno));
	size_t n = strlen(text);
	fchmod(fd, 0644); /* for children of another user; the directory is private */
	bool ok = write(fd, text, n) == (ssize_t)n;
	ok = close(fd) == 0 && ok;
	if (!ok || rename(temp, path) < 0)
		return err_set(e, EIO, "%s: cannot write", path);
	return 0;
}
