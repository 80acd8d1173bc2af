/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/metrics_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits for input that is wrong or hostile; what is beyond them is dropped. */
#define MAX_NAME 256
#define MAX_LABELS_TEXT 16384
#define MAX_FAMILIES 4096
#define MAX_SAMPLES 500000

struct sample {
	struct str name, labels; /* labels: the text between the braces */
	double value;
	size_t next; /* in the hash slot; index + 1 */
	uint64_t hash;
};

struct family {
	struct str name, help, type;
	struct sample *samples; /* in order of appearance */
	size_t n, cap;
	size_t *slots;
	size_t n_slots;
};

struct merge {
	struct family *families;
	size_t n, cap;
	size_t total;
};

static bool name_char(char c, bool first)
{
	return isalpha((unsigned char)c) || c == '_' || c == ':' ||
	       (!first && isdigit((unsigned char)c));
}

static struct str take_name(struct str *line)
{
	size_t n = 0;
	while (n < line->n && name_char(line->p[n], n == 0))
		n++;
	struct str name = {line->p, n <= MAX_NAME ? n : 0};
	line->p += n;
	line->n -= n;
	return name;
}

static void skip_blanks(struct str *s)
{
	while (s->n && (*s->p == ' ' || *s->p == '\t')) {
		s->p++;
		s->n--;
	}
}

static bool take(struct str *s, char c)
{
	if (s->n == 0 || *s->p != c)
		return false;
	s->p++;
	s->n--;
	return true;
}

/* "text" with \\, \" and \n only. */
static bool take_quoted(struct str *s)
{
	if (!take(s, '"'))
		return false;
	while (s->n) {
		if (take(s, '"'))
			return true;
		if (take(s, '\\')) {
			if (s->n == 0 || !strchr("\\\"n", *s->p) || !*s->p)
				return false;
		}
		s->p++;
		s->n--;
	}
	return false;
}

/* {name="value",…}; *out is what is between the braces. */
static bool take_labels(struct str *s, struct str *out)
{
	*out = (struct str){s->p, 0};
	if (!take(s, '{'))
		return true;
	const char *start = s->p;
	while (!take(s, '}')) {
		struct str name = take_name(s);
		if (name.n == 0 || memchr(name.p, ':', name.n) || !take(s, '=') || !take_quoted(s))
			return false;
		if (!take(s, ',') && (s->n == 0 || *s->p != '}'))
			return false;
	}
	*out = (struct str){start, (size_t)(s->p - start) - 1};
	return out->n <= MAX_LABELS_TEXT;
}

static bool take_number(struct str *s, double *out)
{
	skip_blanks(s);
	size_t n = 0;
	char text[64];
	while (n < s->n && n < sizeof(text) - 1 && s->p[n] != ' ' && s->p[n] != '\t') {
		text[n] = s->p[n];
		n++;
	}
	text[n] = '\0';
	char *end;
	*out = strtod(text, &end);
	if (n == 0 || *end || strpbrk(text, "xXpP("))
		return false;
	s->p += n;
	s->n -= n;
	return true;
}

static struct family *family_of(struct merge *m, struct str name)
{
	for (size_t i = 0; i < m->n; i++)
		if (str_eq(m->families[i].name, name))
			return &m->families[i];
	return NULL;
}

static struct family *family_add(struct merge *m, struct str name)
{
	if (m->n >= MAX_FAMILIES)
		return NULL;
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 64;
		m->families = xrealloc(m->families, m->cap * sizeof(*m->families));
	}
	struct family *f = &m->families[m->n++];
	*f = (struct family){.name = name};
	return f;
}

static struct family *family_get(struct merge *m, struct str name)
{
	struct family *f = family_of(m, name);
	return f ? f : family_add(m, name);
}

/* x_bucket, x_sum and x_count belong to x when that is a histogram or summary. */
static struct family *family_of_sample(struct merge *m, struct str name)
{
	static const char *const suffixes[] = {"_bucket", "_sum", "_count"};
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);
		if (name.n <= n || memcmp(name.p + name.n - n, suffixes[i], n) != 0)
			continue;
		struct family *f = family_of(m, (struct str){name.p, name.n - n});
		if (f && (str_is(f->type, "histogram") || str_is(f->type, "summary")))
			return f;
	}
	return family_get(m, name);
}

static uint64_t hash_str(struct str s, uint64_t h)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return h;
}

static void rehash(struct family *f)
{
	free(f->slots);
	f->n_slots = f->n_slots ? f->n_slots * 2 : 16;
	f->slots = xcalloc(f->n_slots, sizeof(*f->slots));
	for (size_t i = 0; i < f->n; i++) {
		size_t slot = f->samples[i].hash & (f->n_slots - 1);
		f->samples[i].next = f->slots[slot];
		f->slots[slot] = i + 1;
	}
}

static void add_sample(struct merge *m, struct family *f, struct str name, struct str labels,
		       double value)
{
	uint64_t hash = hash_str(labels, hash_str(name, 0xcbf29ce484222325u));
	if (f->n_slots) {
		for (size_t i = f->slots[hash & (f->n_slots - 1)]; i; i = f->samples[i - 1].next) {
			struct sample *s = &f->samples[i - 1];
			if (s->hash == hash && str_eq(s->name, name) && str_eq(s->labels, labels)) {
				s->value += value;
				return;
			}
		}
	}
	if (m->total >= MAX_SAMPLES)
		return;
	m->total++;
	if (f->n == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 16;
		f->samples = xrealloc(f->samples, f->cap * sizeof(*f->samples));
	}
	f->samples[f->n++] =
	    (struct sample){.name = name, .labels = labels, .value = value, .hash = hash};
	if (f->n > f->n_slots) {
		rehash(f);
		return;
	}
	size_t slot = hash & (f->n_slots - 1);
	f->samples[f->n - 1].next = f->slots[slot];
	f->slots[slot] = f->n;
}

/* Per text: families that it declares with another type than the first text did. */
struct text_state {
	struct str refused[64];
	size_t n;
};

static bool refused(const struct text_state *t, struct str family)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->refused[i], family))
			return true;
	return false;
}

static bool known_type(struct str type)
{
	static const char *const types[] = {"counter", "gauge", "histogram", "summary", "untyped"};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (str_is(type, types[i]))
			return true;
	return false;
}

static void merge_comment(struct merge *m, struct text_state *t, struct str line)
{
	skip_blanks(&line);
	bool help = str_has_prefix(line, "HELP "), type = str_has_prefix(line, "TYPE ");
	if (!help && !type)
		return;
	line.p += 5;
	line.n -= 5;
	struct str name = take_name(&line);
	if (name.n == 0 || !take(&line, ' '))
		return;
	if (type && !known_type(line))
		return;
	struct family *f = family_get(m, name);
	if (!f)
		return;
	struct str *field = help ? &f->help : &f->type;
	if (!field->p)
		*field = line;
	else if (type && !str_eq(f->type, line) &&
		 t->n < sizeof(t->refused) / sizeof(t->refused[0]))
		t->refused[t->n++] = f->name;
}

static void merge_line(struct merge *m, struct text_state *t, struct str line)
{
	if (memchr(line.p, '\0', line.n) || memchr(line.p, '\r', line.n))
		return;
	if (take(&line, '#')) {
		merge_comment(m, t, line);
		return;
	}
	struct str labels;
	double value, timestamp;
	struct str name = take_name(&line);
	if (name.n == 0 || !take_labels(&line, &labels) || line.n == 0 ||
	    (*line.p != ' ' && *line.p != '\t') || !take_number(&line, &value))
		return;
	skip_blanks(&line);
	if (line.n && (!take_number(&line, &timestamp) || line.n))
		return;
	struct family *f = family_of_sample(m, name);
	if (f && !refused(t, f->name))
		add_sample(m, f, name, labels, value);
}

/* First only what is declared, of all texts: which family a sample belongs to depends on it. */
static void merge_text(struct merge *m, struct str text, bool samples)
{
	struct text_state t = {.n = 0};
	while (text.n) {
		const char *nl = memchr(text.p, '\n', text.n);
		if (!nl)
			return; /* cut off in the middle */
		struct str line = {text.p, (size_t)(nl - text.p)};
		if (line.n && (samples || *line.p == '#'))
			merge_line(m, &t, line);
		text.n -= line.n + 1;
		text.p += line.n + 1;
	}
}

static void print_family(const struct family *f, struct buf *out)
{
	if (f->n == 0)
		return;
	if (f->help.p)
		buf_printf(out, "# HELP %.*s %.*s\n", STR_ARG(f->name), STR_ARG(f->help));
	if (f->type.p)
		buf_printf(out, "# TYPE %.*s %.*s\n", STR_ARG(f->name), STR_ARG(f->type));
	for (size_t i = 0; i < f->n; i++) {
		const struct sample *s = &f->samples[i];
		buf_add(out, s->name.p, s->name.n);
		if (s->labels.n) {
			buf_putc(out, '{');
			buf_add(out, s->labels.p, s->labels.n);
			buf_putc(out, '}');
		}
		buf_putc(out, ' ');
		metrics_number(out, s->value);
		buf_putc(out, '\n');
	}
}

void metrics_merge(const struct str *texts, size_t n, struct buf *out)
{
	struct merge m = {0};
	for (size_t i = 0; i < n; i++)
		merge_text(&m, texts[i], false);
	for (size_t i = 0; i < n; i++)
		merge_text(&m, texts[i], true);
	for (size_t i = 0; i < m.n; i++) {
		print_family(&m.families[i], out);
		free(m.families[i].samples);
		free(m.families[i].slots);
	}
	free(m.families);
}
