/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_CTL_H
#define IPC_CTL_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The protocol between kruisectl and kruised, over the Unix stream socket RUNDIR/ctl. The client
 * sends one line of words and reads lines until the server closes:
 *
 *   "=TEXT"        a line of the answer, any number, as they come
 *   "ok"           the last line of a success
 *   "error TEXT"   the last line of a failure
 *
 * An answer without such a last line was cut off. All text is UTF-8 without control characters but
 * the tab that separates the fields of a status row.
 */
#define CTL_MAX_REQUEST 512
#define CTL_MAX_LINE 2048
#define CTL_MAX_ARGS 2

enum ctl_verb { CTL_STATUS, CTL_RESTART, CTL_RELOAD, CTL_LOG_LEVEL, CTL_STOP };

struct ctl_request {
	enum ctl_verb verb;
	size_t n_args;
	struct str args[CTL_MAX_ARGS]; /* point into what was parsed */
};

/* One request line, without its newline. -EINVAL says what is wrong, in words for the user. */
int ctl_request_parse(const char *p, size_t n, struct ctl_request *out, struct err *e);
/* The line for these words, newline included. -EINVAL when a word cannot be sent. */
int ctl_request_print(struct buf *b, size_t n, char *const *words, struct err *e);

enum ctl_line_kind { CTL_LINE_BODY, CTL_LINE_OK, CTL_LINE_ERROR };
/* Appends a line of an answer, newline included; control characters become spaces. */
void ctl_line_print(struct buf *b, enum ctl_line_kind kind, const char *text);
/* One line without its newline. -EBADMSG when it is none of the three kinds. */
int ctl_line_parse(const char *p, size_t n, enum ctl_line_kind *kind, struct str *text);

/* A child in the answer to `status`. Ages are in µs; UINT64_MAX: there is none. */
struct ctl_row {
	struct str name;
	int64_t pid; /* 0: not running */
	struct str state;
	bool ready;
	uint64_t uptime_usec;
	uint64_t restarts;
	uint64_t beat_age_usec;
	struct str note;
};
/* The body text (without '='). Tabs and control characters in strings become spaces. */
void ctl_row_print(struct buf *b, const struct ctl_row *row);
int ctl_row_parse(struct str text, struct ctl_row *out);

/* Other lines of `status`: "#KEY<tab>VALUE". */
void ctl_fact_print(struct buf *b, const char *key, const char *value);
bool ctl_fact_parse(struct str text, struct str *key, struct str *value);

#endif
