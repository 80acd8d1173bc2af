/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/chaos/chaos.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#define KEPT 8192
#define PRINTED 60
#define PRINTED_USEC 15000000u

struct entry {
	uint64_t usec;
	char set[32];
	char text[256];
};

struct history {
	FILE *file;
	struct entry entries[KEPT]; /* a ring */
	size_t n;
};

struct history *history_open(const char *path)
{
	struct history *h = xcalloc(1, sizeof(*h));
	h->file = path ? fopen(path, "we") : NULL;
	if (path && !h->file)
		fatal("%s: %m", path);
	return h;
}

static void print_entry(FILE *f, const struct entry *e)
{
	const time_t sec = (time_t)(e->usec / 1000000);
	char when[16];
	struct tm tm;
	strftime(when, sizeof(when), "%H:%M:%S", gmtime_r(&sec, &tm));
	fprintf(f, "%s.%03u %-8s %s\n", when, (unsigned)(e->usec / 1000 % 1000), e->set, e->text);
}

void history_add(struct chaos *c, const char *set, const char *fmt, ...)
{
	struct history *h = c->history;
	struct entry *e = &h->entries[h->n++ % KEPT];
	va_list ap;
	e->usec = chaos_now();
	snprintf(e->set, sizeof(e->set), "%s", set);
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	if (h->file)
		print_entry(h->file, e);
}

void history_print(struct chaos *c, const char *set)
{
	const struct history *h = c->history;
	const size_t have = h->n < KEPT ? h->n : KEPT;
	const uint64_t now = chaos_now();
	size_t from = h->n, found = 0;
	for (size_t i = 1; i <= have && found < PRINTED; i++) {
		const struct entry *e = &h->entries[(h->n - i) % KEPT];
		if (e->usec + PRINTED_USEC < now)
			break;
		from = h->n - i;
		found += strcmp(e->set, set) == 0 || strcmp(e->set, "*") == 0;
	}
	for (; from < h->n; from++) {
		const struct entry *e = &h->entries[from % KEPT];
		if (strcmp(e->set, set) == 0 || strcmp(e->set, "*") == 0)
			print_entry(stderr, e);
	}
}
