/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"

#include "ipc/base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	char process[64];
	enum log_level level;
	bool json;
	bool journal;
} logger = {.process = "kruised", .level = LOG_LVL_INFO};

static const struct {
	const char *name;
	const char *verbosity; /* klog's -v */
	int priority;	       /* syslog's */
} levels[] = {
    [LOG_LVL_ERROR] = {"error", NULL, 3}, [LOG_LVL_WARN] = {"warn", NULL, 4},
    [LOG_LVL_INFO] = {"info", "0", 6},	  [LOG_LVL_DEBUG] = {"debug", "4", 7},
    [LOG_LVL_TRACE] = {"trace", "5", 7},
};

#define N_LEVELS (sizeof(levels) / sizeof(levels[0]))

void log_init(const char *process, enum log_level level, bool json)
{
	snprintf(logger.process, sizeof(logger.process), "%s", process);
	logger.level = level;
	logger.json = json;
	logger.journal = getenv("JOURNAL_STREAM") != NULL;
}

void log_set_level(enum log_level level)
{
	logger.level = level;
}

enum log_level log_get_level(void)
{
	return logger.level;
}

int log_level_parse(const char *s, enum log_level *out)
{
	for (size_t i = 0; i < N_LEVELS; i++) {
		if (strcmp(s, levels[i].name) == 0) {
			*out = (enum log_level)i;
			return 0;
		}
	}
	char *end;
	long v = strtol(s, &end, 10);
	if (end == s || *end || v < 0)
		return -EINVAL;
	*out = v >= 5 ? LOG_LVL_TRACE : v >= 2 ? LOG_LVL_DEBUG : LOG_LVL_INFO;
	return 0;
}

const char *log_level_name(enum log_level level)
{
	return (size_t)level < N_LEVELS ? levels[level].name : "info";
}

/* Control characters from the outside must not forge log lines or drive a terminal. */
static void put_clean(struct buf *b, const char *s, bool json)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (json && (c == '"' || c == '\\'))
			buf_printf(b, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			buf_printf(b, json ? "\\u%04x" : "\\x%02x", c);
		else
			buf_putc(b, (char)c);
	}
}

static void emit(enum log_level level, const char *fmt, va_list ap)
{
	int saved = errno;
	_cleanup_free_ char *msg = NULL;
	if (vasprintf(&msg, fmt, ap) < 0)
		abort();

	_cleanup_buf_ struct buf line = {0};
	struct timespec ts;
	struct tm tm;
	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	char when[64];
	size_t n = strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(when + n, sizeof(when) - n, ".%03ldZ", ts.tv_nsec / 1000000);

	if (logger.json) {
		buf_printf(
		    &line,
		    "{\"ts\":\"%s\",\"level\":\"%s\",\"process\":\"%s\",\"pid\":%d,\"msg\":\"",
		    when, log_level_name(level), logger.process, (int)getpid());
		put_clean(&line, msg, true);
		buf_puts(&line, "\"}");
	} else {
		if (logger.journal)
			buf_printf(&line, "<%d>", levels[level].priority);
		else
			buf_printf(&line, "%s %-5s ", when, log_level_name(level));
		buf_printf(&line, "%s[%d]: ", logger.process, (int)getpid());
		put_clean(&line, msg, false);
	}
	buf_putc(&line, '\n');
	/* One write a line, so that lines of several processes do not mix. */
	ssize_t w = write(STDERR_FILENO, line.p, line.len);
	(void)w;
	errno = saved;
}

void log_at(enum log_level level, const char *fmt, ...)
{
	if (level > logger.level)
		return;
	va_list ap;
	va_start(ap, fmt);
	emit(level, fmt, ap);
	va_end(ap);
}

void fatal(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	emit(LOG_LVL_ERROR, fmt, ap);
	va_end(ap);
	exit(EXIT_FAILURE);
}
