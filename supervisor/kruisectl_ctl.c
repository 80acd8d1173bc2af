/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/kruisectl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int open_ctl(const char *dir, struct err *e)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	if (snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/ctl", dir) >=
	    (int)sizeof(addr.sun_path))
		return err_set(e, ENAMETOOLONG, "%s: too long", dir);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(e, errno, "socket: %s", strerror(errno));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return fd;
	int saved = errno;
	close(fd);
	return err_set(e, saved, "cannot connect to %s: %s%s", addr.sun_path, strerror(saved),
		       saved == ENOENT || saved == ECONNREFUSED ? " (kruised is not running?)"
								: "");
}

struct answer {
	ctl_body_fn fn;
	void *userdata;
	int rc; /* once the last line is in */
};

/* True at the last line. */
static bool take_line(struct answer *a, const char *p, size_t n)
{
	enum ctl_line_kind kind;
	struct str text;
	if (ctl_line_parse(p, n, &kind, &text) < 0) {
		fprintf(stderr, "kruisectl: kruised answered what is no answer\n");
		a->rc = EXIT_ERROR;
		return true;
	}
	if (kind == CTL_LINE_BODY) {
		a->fn(text, a->userdata);
		return false;
	}
	if (kind == CTL_LINE_ERROR)
		fprintf(stderr, "kruisectl: %.*s\n", STR_ARG(text));
	a->rc = kind == CTL_LINE_OK ? EXIT_OK : EXIT_ERROR;
	return true;
}

static int read_answer(int fd, struct answer *a)
{
	char line[CTL_MAX_LINE + 1];
	size_t n = 0;
	for (;;) {
		ssize_t got = read(fd, line + n, sizeof(line) - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
		char *end, *p = line;
		while ((end = memchr(p, '\n', n - (size_t)(p - line)))) {
			if (take_line(a, p, (size_t)(end - p)))
				return a->rc;
			p = end + 1;
		}
		n -= (size_t)(p - line);
		memmove(line, p, n);
		if (n == sizeof(line))
			break;
	}
	fprintf(stderr, "kruisectl: the answer was cut off: kruised has ended, or does not know "
			"what this kruisectl knows\n");
	return EXIT_ERROR;
}

int ctl_ask(const char *dir, size_t n, char *const *words, ctl_body_fn fn, void *userdata,
	    struct err *e)
{
	struct answer a = {.fn = fn, .userdata = userdata};
	_cleanup_buf_ struct buf request = {0};
	int r = ctl_request_print(&request, n, words, e);
	if (r < 0)
		return r;
	int fd = open_ctl(dir, e);
	if (fd < 0) {
		fprintf(stderr, "kruisectl: %s\n", e->msg);
		return EXIT_ERROR;
	}
	int rc = EXIT_ERROR;
	if (send(fd, request.p, request.len, MSG_NOSIGNAL) != (ssize_t)request.len)
		fprintf(stderr, "kruisectl: %s/ctl: %s\n", dir, strerror(errno));
	else
		rc = read_answer(fd, &a);
	close(fd);
	return rc;
}
