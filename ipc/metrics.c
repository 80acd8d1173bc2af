/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/metrics.h"

#include "ipc/metrics_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double default_bounds[] = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
#define N_DEFAULT_BOUNDS (sizeof(default_bounds) / sizeof(default_bounds[0]))

struct metric_series {
	struct metric *family;
	struct metric_series *next_in_slot;
	char **values;
	uint64_t hash;
	double value;	  /* of a histogram: the sum */
	uint64_t count;	  /* histogram */
	uint64_t *counts; /* histogram: per bound, not cumulative */
};

struct metric {
	struct metrics *registry;
	struct metric *next;
	enum metric_type type;
	const char *name;
	const char *help;
	const char *labels[METRIC_MAX_LABELS];
	size_t n_labels;
	double *bounds;
	size_t n_bounds;

	struct metric_series **series; /* in order of appearance */
	size_t n_series, cap_series;
	struct metric_series **slots; /* hash table, a power of two */
	size_t n_slots;
};

struct metrics {
	struct metric *first;
	struct metric **last;
	uint64_t changes;
};

struct metrics *metrics_new(void)
{
	struct metrics *m = xcalloc(1, sizeof(*m));
	m->last = &m->first;
	return m;
}

uint64_t metrics_changes(const struct metrics *m)
{
	return m->changes;
}

static void free_series(struct metric_series *s)
{
	for (size_t i = 0; i < s->family->n_labels; i++)
		free(s->values[i]);
	free(s->values);
	free(s->counts);
	free(s);
}

void metric_clear(struct metric *f)
{
	for (size_t i = 0; i < f->n_series; i++)
		free_series(f->series[i]);
	if (f->n_series)
		f->registry->changes++;
	f->n_series = 0;
	if (f->slots)
		memset(f->slots, 0, f->n_slots * sizeof(*f->slots));
}

void metrics_free(struct metrics *m)
{
	while (m && m->first) {
		struct metric *f = m->first;
		m->first = f->next;
		metric_clear(f);
		free(f->series);
		free(f->slots);
		free(f->bounds);
		free(f);
	}
	free(m);
}

struct metric *metric_new(struct metrics *m, enum metric_type type, const char *name,
			  const char *help, const char *const *labels)
{
	for (struct metric *f = m->first; f; f = f->next)
		if (strcmp(f->name, name) == 0)
			return f;
	struct metric *f = xcalloc(1, sizeof(*f));
	f->registry = m;
	f->type = type;
	f->name = name;
	f->help = help;
	while (labels && labels[f->n_labels] && f->n_labels < METRIC_MAX_LABELS) {
		f->labels[f->n_labels] = labels[f->n_labels];
		f->n_labels++;
	}
	if (type == METRIC_HISTOGRAM)
		metric_buckets(f, default_bounds, N_DEFAULT_BOUNDS);
	*m->last = f;
	m->last = &f->next;
	return f;
}

void metric_buckets(struct metric *f, const double *bounds, size_t n)
{
	free(f->bounds);
	f->bounds = xmalloc(n * sizeof(*bounds));
	memcpy(f->bounds, bounds, n * sizeof(*bounds));
	f->n_bounds = n;
}

static uint64_t hash_values(const char *const *values, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++) {
		const char *p = values[i];
		do
			h = (h ^ (unsigned char)*p) * 0x100000001b3u;
		while (*p++);
	}
	return h;
}

static void insert(struct metric *f, struct metric_series *s)
{
	struct metric_series **slot = &f->slots[s->hash & (f->n_slots - 1)];
	s->next_in_slot = *slot;
	*slot = s;
}

static void grow(struct metric *f)
{
	if (f->n_series == f->cap_series) {
		f->cap_series = f->cap_series ? f->cap_series * 2 : 8;
		f->series = xrealloc(f->series, f->cap_series * sizeof(*f->series));
	}
	if (f->n_slots > f->n_series)
		return;
	free(f->slots);
	f->n_slots = f->n_slots ? f->n_slots * 2 : 8;
	f->slots = xcalloc(f->n_slots, sizeof(*f->slots));
	for (size_t i = 0; i < f->n_series; i++)
		insert(f, f->series[i]);
}

static struct metric_series *lookup(const struct metric *f, const char *const *values,
				    uint64_t hash)
{
	if (!f->n_slots)
		return NULL;
	for (struct metric_series *s = f->slots[hash & (f->n_slots - 1)]; s; s = s->next_in_slot) {
		bool same = s->hash == hash;
		for (size_t i = 0; same && i < f->n_labels; i++)
			same = strcmp(s->values[i], values[i]) == 0;
		if (same)
			return s;
	}
	return NULL;
}

struct metric_series *metric_with(struct metric *f, const char *const *values)
{
	static const char *const other[METRIC_MAX_LABELS] = {"other", "other", "other", "other",
							     "other", "other", "other", "other"};
	uint64_t hash = hash_values(values, f->n_labels);
	struct metric_series *s = lookup(f, values, hash);
	if (s)
		return s;
	if (f->n_series >= METRIC_MAX_SERIES && values != other)
		return metric_with(f, other);
	grow(f);
	s = xcalloc(1, sizeof(*s));
	s->family = f;
	s->hash = hash;
	s->values = xcalloc(f->n_labels, sizeof(*s->values));
	for (size_t i = 0; i < f->n_labels; i++)
		s->values[i] = xstrdup(values[i]);
	if (f->type == METRIC_HISTOGRAM)
		s->counts = xcalloc(f->n_bounds, sizeof(*s->counts));
	f->series[f->n_series++] = s;
	insert(f, s);
	f->registry->changes++;
	return s;
}

void series_add(struct metric_series *s, double by)
{
	if (by == 0 || (s->family->type == METRIC_COUNTER && by < 0))
		return;
	s->value += by;
	s->family->registry->changes++;
}

void series_set(struct metric_series *s, double v)
{
	if (s->value == v)
		return;
	s->value = v;
	s->family->registry->changes++;
}

void series_observe(struct metric_series *s, double v)
{
	const struct metric *f = s->family;
	if (f->type != METRIC_HISTOGRAM || isnan(v))
		return;
	for (size_t i = 0; i < f->n_bounds; i++) {
		if (v <= f->bounds[i]) {
			s->counts[i]++;
			break;
		}
	}
	s->count++;
	s->value += v;
	f->registry->changes++;
}

double series_value(const struct metric_series *s)
{
	return s->family->type == METRIC_HISTOGRAM ? (double)s->count : s->value;
}

static struct metric_series *with_va(struct metric *f, va_list ap)
{
	const char *values[METRIC_MAX_LABELS];
	for (size_t i = 0; i < f->n_labels; i++)
		values[i] = va_arg(ap, const char *);
	return metric_with(f, values);
}

void metric_add(struct metric *f, double by, ...)
{
	va_list ap;
	va_start(ap, by);
	series_add(with_va(f, ap), by);
	va_end(ap);
}

void metric_set(struct metric *f, double v, ...)
{
	va_list ap;
	va_start(ap, v);
	series_set(with_va(f, ap), v);
	va_end(ap);
}

void metric_observe(struct metric *f, double v, ...)
{
	va_list ap;
	va_start(ap, v);
	series_observe(with_va(f, ap), v);
	va_end(ap);
}

/* The shortest text that reads back as the same number. */
void metrics_number(struct buf *b, double v)
{
	if (isnan(v)) {
		buf_puts(b, "NaN");
		return;
	}
	if (isinf(v)) {
		buf_puts(b, v > 0 ? "+Inf" : "-Inf");
		return;
	}
	char text[40];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_puts(b, text);
}

static void escape(struct buf *b, const char *s, bool quotes)
{
	for (; *s; s++) {
		if (*s == '\\')
			buf_puts(b, "\\\\");
		else if (*s == '\n')
			buf_puts(b, "\\n");
		else if (*s == '"' && quotes)
			buf_puts(b, "\\\"");
		else
			buf_putc(b, *s);
	}
}

/* name_suffix{label="value",…,le="bound"} */
static void print_head(struct buf *b, const struct metric_series *s, const char *suffix,
		       const double *le)
{
	const struct metric *f = s->family;
	buf_puts(b, f->name);
	buf_puts(b, suffix);
	if (f->n_labels || le)
		buf_putc(b, '{');
	for (size_t i = 0; i < f->n_labels; i++) {
		buf_printf(b, "%s%s=\"", i ? "," : "", f->labels[i]);
		escape(b, s->values[i], true);
		buf_putc(b, '"');
	}
	if (le) {
		buf_puts(b, f->n_labels ? ",le=\"" : "le=\"");
		metrics_number(b, *le);
		buf_putc(b, '"');
	}
	if (f->n_labels || le)
		buf_putc(b, '}');
	buf_putc(b, ' ');
}

static void print_sample(struct buf *b, const struct metric_series *s, const char *suffix,
			 const double *le, double v)
{
	print_head(b, s, suffix, le);
	metrics_number(b, v);
	buf_putc(b, '\n');
}

static void print_histogram(struct buf *b, const struct metric_series *s)
{
	const struct metric *f = s->family;
	uint64_t sum = 0;
	for (size_t i = 0; i < f->n_bounds; i++) {
		sum += s->counts[i];
		print_sample(b, s, "_bucket", &f->bounds[i], (double)sum);
	}
	double inf = INFINITY;
	print_sample(b, s, "_bucket", &inf, (double)s->count);
	print_sample(b, s, "_sum", NULL, s->value);
	print_sample(b, s, "_count", NULL, (double)s->count);
}

void metrics_print(const struct metrics *m, struct buf *out)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};
	for (const struct metric *f = m->first; f; f = f->next) {
		if (f->n_series == 0)
			continue;
		buf_printf(out, "# HELP %s ", f->name);
		escape(out, f->help, false);
		buf_printf(out, "\n# TYPE %s %s\n", f->name, types[f->type]);
		for (size_t i = 0; i < f->n_series; i++) {
			if (f->type == METRIC_HISTOGRAM)
				print_histogram(out, f->series[i]);
			else
				print_sample(out, f->series[i], "", NULL, f->series[i]->value);
		}
	}
}
