/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_BASE_LOG_H
#define IPC_BASE_LOG_H

#include <stdbool.h>

/*
 * Logging to standard error, one line a call: time, level, process name, message. With the journal
 * on the other end (JOURNAL_STREAM) the time is left out and the level becomes the <N> prefix that
 * sd-daemon(3) describes; with json each line is a JSON object. The level may change at run time.
 */
enum log_level { LOG_LVL_ERROR, LOG_LVL_WARN, LOG_LVL_INFO, LOG_LVL_DEBUG, LOG_LVL_TRACE };

void log_init(const char *process, enum log_level level, bool json);
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* "error", "warn", "info", "debug", "trace", or 0…5 as klog's -v. Returns 0, or -EINVAL. */
int log_level_parse(const char *s, enum log_level *out);
const char *log_level_name(enum log_level level);

void log_at(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_at(LOG_LVL_ERROR, __VA_ARGS__)
#define log_warn(...) log_at(LOG_LVL_WARN, __VA_ARGS__)
#define log_info(...) log_at(LOG_LVL_INFO, __VA_ARGS__)
#define log_debug(...) log_at(LOG_LVL_DEBUG, __VA_ARGS__)
#define log_trace(...) log_at(LOG_LVL_TRACE, __VA_ARGS__)

/* Logs at error level and exits with status 1: for the impossible, at start-up and after. */
void fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
