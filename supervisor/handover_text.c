/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/handover.h"
#include "supervisor/supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "kruised-handover 1"
#define MAX_LINE 1024

static void print_child(const struct service *v, struct buf *out)
{
	buf_printf(out,
		   "child %s %d %d %d %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		   " %d %" PRIu64 " %" PRIu64 " %u\n",
		   v->def->name, (int)v->pid, (int)v->state, (int)v->reason,
		   *v->token ? v->token : "-", v->started_usec, v->beat_usec, v->restart_usec,
		   v->term_usec, v->deadline_usec, v->ready, v->starts, v->hung,
		   v->backoff.failures);
	buf_printf(out, "sandbox %s", v->def->name);
	for (size_t i = 0; i < N_LAYERS; i++)
		buf_printf(out, " %d", v->sandbox->layer[i]);
	buf_putc(out, '\n');
	if (!*v->note)
		return;
	buf_printf(out, "note %s ", v->def->name);
	for (const char *p = v->note; *p; p++) /* a child's words may hold anything */
		buf_putc(out, (unsigned char)*p < 0x20 ? ' ' : *p);
	buf_putc(out, '\n');
}

void handover_print(const struct supervisor *s, struct buf *out)
{
	buf_puts(out, HEAD "\n");
	buf_printf(out, "set begun %" PRIu64 "\n", s->begun_usec);
	buf_printf(out, "set configured %d\n", s->configured);
	buf_printf(out, "set notified_ready %d\n", s->notified_ready);
	buf_printf(out, "set leader_until %" PRIu64 "\n", s->leadership.until_usec);
	buf_printf(out, "set leader_spoken %d\n", s->leadership.spoken);
	if (*s->log_level)
		buf_printf(out, "set log_level %s\n", s->log_level);
	for (size_t i = 0; i < s->n_services; i++)
		print_child(&s->services[i], out);
}

static struct service *find(struct supervisor *s, const char *name)
{
	for (size_t i = 0; i < s->n_services; i++)
		if (strcmp(s->services[i].def->name, name) == 0)
			return &s->services[i];
	return NULL;
}

struct reader {
	struct supervisor *s;
	int *unknown;
	size_t n_unknown;
};

static bool read_set(struct reader *r, const char *line)
{
	struct supervisor *s = r->s;
	char name[32], value[32];
	if (sscanf(line, "%31s %31s", name, value) != 2)
		return false;
	uint64_t n = strtoull(value, NULL, 10);
	if (strcmp(name, "begun") == 0)
		s->begun_usec = n;
	else if (strcmp(name, "configured") == 0)
		s->configured = n != 0;
	else if (strcmp(name, "notified_ready") == 0)
		s->notified_ready = n != 0;
	else if (strcmp(name, "leader_until") == 0 && s->leadership.election)
		s->leadership.until_usec = n;
	else if (strcmp(name, "leader_spoken") == 0)
		s->leadership.spoken = n != 0;
	else if (strcmp(name, "log_level") == 0)
		snprintf(s->log_level, sizeof(s->log_level), "%s", value);
	return true;
}

static bool possible(const struct service *v, int state, int reason)
{
	bool process = state == SERVICE_STARTING || state == SERVICE_RUNNING ||
		       state == SERVICE_STOPPING || state == SERVICE_HUNG ||
		       state == SERVICE_KILLED;
	bool none = state == SERVICE_WAITING || state == SERVICE_BACKOFF;
	return (v->pid > 1 ? process : v->pid == 0 && none) && reason >= END_CRASH &&
	       reason <= END_SHUTDOWN;
}

static bool read_child(struct reader *r, const char *line)
{
	char name[64], token[33];
	int pid, state, reason, ready;
	struct service in = {0};
	if (sscanf(line,
		   "%63s %d %d %d %32s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %d %" SCNu64 " %" SCNu64 " %u",
		   name, &pid, &state, &reason, token, &in.started_usec, &in.beat_usec,
		   &in.restart_usec, &in.term_usec, &in.deadline_usec, &ready, &in.starts, &in.hung,
		   &in.backoff.failures) != 14)
		return false;
	in.pid = pid;
	if (!possible(&in, state, reason))
		return false;
	struct service *v = find(r->s, name);
	if (!v) { /* not a child of this version any more */
		if (pid > 1) {
			r->unknown = xrealloc(r->unknown, (r->n_unknown + 1) * sizeof(*r->unknown));
			r->unknown[r->n_unknown++] = pid;
		}
		return true;
	}
	in.def = v->def;
	in.sandbox = v->sandbox;
	in.state = (enum service_state)state;
	in.reason = (enum end_reason)reason;
	in.ready = ready != 0;
	if (strcmp(token, "-") != 0)
		snprintf(in.token, sizeof(in.token), "%s", token);
	*v = in;
	return true;
}

static bool read_sandbox(struct reader *r, const char *line)
{
	char name[64];
	int used = 0;
	if (sscanf(line, "%63s%n", name, &used) != 1)
		return false;
	struct service *v = find(r->s, name);
	const char *p = line + used;
	for (size_t i = 0; v && i < N_LAYERS; i++) {
		int value, n = 0;
		if (sscanf(p, "%d%n", &value, &n) != 1)
			break;
		v->sandbox->layer[i] = (int16_t)value;
		p += n;
	}
	return true;
}

static bool read_note(struct reader *r, const char *line)
{
	char name[64];
	int used = 0;
	if (sscanf(line, "%63s %n", name, &used) != 1 || used == 0)
		return false;
	struct service *v = find(r->s, name);
	if (v)
		snprintf(v->note, sizeof(v->note), "%s", line + used);
	return true;
}

static const struct {
	const char *word;
	bool (*read)(struct reader *r, const char *line);
} lines[] = {
    {"set ", read_set}, {"child ", read_child}, {"sandbox ", read_sandbox}, {"note ", read_note}};

static bool read_line(struct reader *r, const char *line)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (strncmp(line, lines[i].word, strlen(lines[i].word)) == 0)
			return lines[i].read(r, line + strlen(lines[i].word));
	return true;
}

int handover_parse(struct supervisor *s, const char *text, size_t n, int **unknown,
		   size_t *n_unknown, struct err *e)
{
	struct reader r = {.s = s};
	char line[MAX_LINE];
	bool first = true;
	int result = n == 0 ? err_set(e, EBADMSG, "the state is empty") : 0;
	for (size_t at = 0; at < n && result == 0; first = false) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;
		if (!end || len >= sizeof(line) || memchr(text + at, '\0', len)) {
			result = err_set(e, EBADMSG, "the state has a line of no form");
			break;
		}
		memcpy(line, text + at, len);
		line[len] = '\0';
		at += len + 1;
		if (first && strcmp(line, HEAD) != 0)
			result =
			    err_set(e, EBADMSG, "the state is of another version: %.40s", line);
		else if (!first && !read_line(&r, line))
			result = err_set(e, EBADMSG, "the state has a wrong line: %.40s", line);
	}
	if (result < 0) {
		free(r.unknown);
		return result;
	}
	*unknown = r.unknown;
	*n_unknown = r.n_unknown;
	return 0;
}
