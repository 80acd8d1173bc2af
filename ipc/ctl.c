/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/ctl.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	enum ctl_verb verb;
	size_t n_args;
	const char *usage;
} verbs[] = {
    {"status", CTL_STATUS, 0, "status"},
    {"restart", CTL_RESTART, 1, "restart NAME"},
    {"reload", CTL_RELOAD, 0, "reload"},
    {"log-level", CTL_LOG_LEVEL, 2, "log-level NAME|all LEVEL"},
    {"stop", CTL_STOP, 0, "stop"},
};
#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Cuts the next word off the front; absent when there is none. */
static struct str next_word(struct str *rest)
{
	while (rest->n && *rest->p == ' ') {
		rest->p++;
		rest->n--;
	}
	struct str word = {rest->p, 0};
	while (rest->n && *rest->p != ' ') {
		rest->p++;
		rest->n--;
		word.n++;
	}
	return word.n ? word : (struct str){0};
}

static int find_verb(struct str word, struct err *e)
{
	for (size_t i = 0; i < N_VERBS; i++)
		if (str_is(word, verbs[i].name))
			return (int)i;
	return err_set(e, EINVAL, "unknown command \"%.*s\"", STR_ARG(word));
}

int ctl_request_parse(const char *p, size_t n, struct ctl_request *out, struct err *e)
{
	*out = (struct ctl_request){0};
	if (n > CTL_MAX_REQUEST)
		return err_set(e, EINVAL, "the request is longer than %d bytes", CTL_MAX_REQUEST);
	for (size_t i = 0; i < n; i++)
		if (is_control(p[i]))
			return err_set(e, EINVAL, "the request has a control character");
	struct str rest = {p, n};
	struct str word = next_word(&rest);
	if (!word.p)
		return err_set(e, EINVAL, "the request is empty");
	int v = find_verb(word, e);
	if (v < 0)
		return v;
	out->verb = verbs[v].verb;
	while ((word = next_word(&rest)).p) {
		if (out->n_args == verbs[v].n_args)
			return err_set(e, EINVAL, "too many arguments; usage: %s", verbs[v].usage);
		out->args[out->n_args++] = word;
	}
	if (out->n_args < verbs[v].n_args)
		return err_set(e, EINVAL, "too few arguments; usage: %s", verbs[v].usage);
	return 0;
}

int ctl_request_print(struct buf *b, size_t n, char *const *words, struct err *e)
{
	size_t start = b->len;
	for (size_t i = 0; i < n; i++) {
		if (words[i][0] == '\0' || strchr(words[i], ' '))
			return err_set(e, EINVAL, "\"%s\": empty, or has a space", words[i]);
		if (i > 0)
			buf_putc(b, ' ');
		buf_puts(b, words[i]);
	}
	struct ctl_request check;
	int r = ctl_request_parse(buf_str(b) + start, b->len - start, &check, e);
	if (r == 0)
		buf_putc(b, '\n');
	return r;
}

/* At most CTL_MAX_LINE bytes; not inside a UTF-8 sequence. */
static size_t bounded(const char *s, size_t n, size_t max)
{
	if (n <= max)
		return n;
	while (max > 0 && ((unsigned char)s[max] & 0xc0) == 0x80)
		max--;
	return max;
}

static const struct {
	const char *prefix;
} kinds[] = {[CTL_LINE_BODY] = {"="}, [CTL_LINE_OK] = {"ok"}, [CTL_LINE_ERROR] = {"error "}};

void ctl_line_print(struct buf *b, enum ctl_line_kind kind, const char *text)
{
	buf_puts(b, kinds[kind].prefix);
	if (kind != CTL_LINE_OK) {
		size_t n = bounded(text, strlen(text), CTL_MAX_LINE - 16);
		for (size_t i = 0; i < n; i++)
			buf_putc(b, is_control(text[i]) && text[i] != '\t' ? ' ' : text[i]);
	}
	buf_putc(b, '\n');
}

int ctl_line_parse(const char *p, size_t n, enum ctl_line_kind *kind, struct str *text)
{
	*text = (struct str){"", 0};
	if (n > CTL_MAX_LINE)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++)
		if (is_control(p[i]) && p[i] != '\t')
			return -EBADMSG;
	struct str line = {p, n};
	if (str_is(line, "ok")) {
		*kind = CTL_LINE_OK;
		return 0;
	}
	static const enum ctl_line_kind with_text[] = {CTL_LINE_BODY, CTL_LINE_ERROR};
	for (size_t i = 0; i < 2; i++) {
		const char *prefix = kinds[with_text[i]].prefix;
		if (!str_has_prefix(line, prefix))
			continue;
		*kind = with_text[i];
		*text = (struct str){p + strlen(prefix), n - strlen(prefix)};
		return 0;
	}
	return -EBADMSG;
}

#define ROW_FIELDS 8

static void put_field(struct buf *b, struct str s, size_t max)
{
	size_t n = s.p ? bounded(s.p, s.n, max) : 0;
	for (size_t i = 0; i < n; i++)
		buf_putc(b, is_control(s.p[i]) ? ' ' : s.p[i]);
}

static void put_usec(struct buf *b, uint64_t usec)
{
	if (usec == UINT64_MAX)
		buf_puts(b, "-\t");
	else
		buf_printf(b, "%llu\t", (unsigned long long)usec);
}

void ctl_row_print(struct buf *b, const struct ctl_row *row)
{
	put_field(b, row->name, 64);
	buf_printf(b, "\t%lld\t", (long long)row->pid);
	put_field(b, row->state, 64);
	buf_printf(b, "\t%s\t", row->ready ? "yes" : "no");
	put_usec(b, row->uptime_usec);
	buf_printf(b, "%llu\t", (unsigned long long)row->restarts);
	put_usec(b, row->beat_age_usec);
	put_field(b, row->note, 1024);
}

static bool parse_u64(struct str s, uint64_t *out)
{
	if (s.n == 0 || s.n > 20)
		return false;
	uint64_t v = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		unsigned digit = (unsigned)(s.p[i] - '0');
		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

static bool parse_usec(struct str s, uint64_t *out)
{
	if (!str_is(s, "-"))
		return parse_u64(s, out);
	*out = UINT64_MAX;
	return true;
}

static size_t split(struct str text, struct str *fields, size_t max)
{
	size_t n = 0;
	const char *end = text.p + text.n;
	for (const char *p = text.p; n < max; n++) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		/* the last field takes the rest */
		const char *stop = tab && n + 1 < max ? tab : end;
		fields[n] = (struct str){p, (size_t)(stop - p)};
		if (stop == end)
			return n + 1;
		p = stop + 1;
	}
	return n;
}

int ctl_row_parse(struct str text, struct ctl_row *out)
{
	struct str f[ROW_FIELDS];
	uint64_t pid;
	*out = (struct ctl_row){0};
	if (!text.p || split(text, f, ROW_FIELDS) != ROW_FIELDS || f[0].n == 0)
		return -EBADMSG;
	if (!parse_u64(f[1], &pid) || pid > INT32_MAX || !parse_usec(f[4], &out->uptime_usec) ||
	    !parse_u64(f[5], &out->restarts) || !parse_usec(f[6], &out->beat_age_usec))
		return -EBADMSG;
	if (!str_is(f[3], "yes") && !str_is(f[3], "no"))
		return -EBADMSG;
	out->name = f[0];
	out->pid = (int64_t)pid;
	out->state = f[2];
	out->ready = str_is(f[3], "yes");
	out->note = f[7];
	return 0;
}

void ctl_fact_print(struct buf *b, const char *key, const char *value)
{
	buf_putc(b, '#');
	put_field(b, str_of(key), 64);
	buf_putc(b, '\t');
	put_field(b, str_of(value), 1024);
}

bool ctl_fact_parse(struct str text, struct str *key, struct str *value)
{
	if (!text.p || text.n == 0 || text.p[0] != '#')
		return false;
	struct str f[2];
	if (split((struct str){text.p + 1, text.n - 1}, f, 2) != 2)
		return false;
	*key = f[0];
	*value = f[1];
	return true;
}
