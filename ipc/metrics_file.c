/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/metrics_int.h"

#include "ipc/base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERIOD_USEC 1000000u
#define MAX_FILE ((size_t)8 << 20)
#define MAX_FILES 256

struct metrics_file {
	struct metrics *metrics;
	char *path, *temporary;
	void (*update)(void *userdata);
	void *userdata;
	uint64_t written; /* metrics_changes() at that time */
	bool complained;
	struct buf text;
};

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);
		if (w < 0 && errno != EINTR)
			return -errno;
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		}
	}
	return 0;
}

static int replace_file(const struct metrics_file *f)
{
	int fd = open(f->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	int r = write_all(fd, f->text.p, f->text.len);
	close(fd);
	if (r == 0 && rename(f->temporary, f->path) < 0)
		r = -errno;
	return r;
}

static void write_now(struct metrics_file *f)
{
	if (f->update)
		f->update(f->userdata);
	uint64_t changes = metrics_changes(f->metrics);
	if (changes == f->written)
		return;
	buf_reset(&f->text);
	buf_puts(&f->text, "");
	metrics_print(f->metrics, &f->text);
	int r = replace_file(f);
	if (r < 0 && !f->complained)
		log_warn("metrics: %s: %s", f->path, strerror(-r));
	f->complained = r < 0;
	if (r == 0)
		f->written = changes;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)usec;
	write_now(userdata);
	sd_event_source_set_time_relative(s, PERIOD_USEC);
	return 0;
}

/* Runs when the loop, or the process's interest in it, ends. */
static void destroy(void *userdata)
{
	struct metrics_file *f = userdata;
	free(f->path);
	free(f->temporary);
	buf_free(&f->text);
	free(f);
}

static int on_exit_loop(sd_event_source *s, void *userdata)
{
	(void)s;
	write_now(userdata);
	return 0;
}

int metrics_serve(struct metrics *m, sd_event *loop, const char *rundir, const char *name,
		  void (*update)(void *userdata), void *userdata, struct err *e)
{
	_cleanup_free_ char *dir = xasprintf("%s/metrics", rundir);
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "%s: %s", dir, strerror(errno));
	struct metrics_file *f = xcalloc(1, sizeof(*f));
	f->metrics = m;
	f->path = xasprintf("%s/%s.prom", dir, name);
	f->temporary = xasprintf("%s/.%s.%d", dir, name, (int)getpid());
	f->update = update;
	f->userdata = userdata;

	sd_event_source *timer = NULL, *at_exit = NULL;
	int r = sd_event_add_time_relative(loop, &timer, CLOCK_MONOTONIC, PERIOD_USEC, 200000,
					   on_timer, f);
	if (r < 0) {
		destroy(f);
		return err_set(e, -r, "metrics timer: %s", strerror(-r));
	}
	sd_event_source_set_enabled(timer, SD_EVENT_ON);
	sd_event_source_set_destroy_callback(timer, destroy);
	sd_event_source_set_floating(timer, true);
	sd_event_source_unref(timer);
	if (sd_event_add_exit(loop, &at_exit, on_exit_loop, f) >= 0) {
		sd_event_source_set_floating(at_exit, true);
		sd_event_source_unref(at_exit);
	}
	return 0;
}

static void read_file(int dirfd, const char *name, struct buf *out)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		char chunk[65536];
		ssize_t n;
		while (out->len < MAX_FILE && (n = read(fd, chunk, sizeof(chunk))) > 0)
			buf_add(out, chunk, (size_t)n);
	}
	close(fd);
}

int metrics_merge_dir(const char *rundir, struct buf *out, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/metrics", rundir);
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);
	if (n < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct buf files[MAX_FILES] = {0};
	struct str texts[MAX_FILES];
	size_t count = 0;
	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(names[i]->d_name, '.');
		if (dirfd >= 0 && names[i]->d_name[0] != '.' && dot && strcmp(dot, ".prom") == 0 &&
		    count < MAX_FILES) {
			read_file(dirfd, names[i]->d_name, &files[count]);
			texts[count] = (struct str){buf_str(&files[count]), files[count].len};
			count++;
		}
		free(names[i]);
	}
	free(names);
	if (dirfd >= 0)
		close(dirfd);
	metrics_merge(texts, count, out);
	for (size_t i = 0; i < count; i++)
		buf_free(&files[i]);
	return 0;
}
