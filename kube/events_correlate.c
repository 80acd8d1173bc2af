/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/buf.h"
#include "kube/events_int.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

/* What is remembered under a key; each kind of key uses some of the fields. */
struct entry {
	char *key;
	uint64_t hash;
	/* an event that exists: key starts with 'e' */
	char *name;
	int64_t count, first;
	/* similar events, 'g': hashes of the different messages seen in the window */
	uint64_t messages[CORRELATOR_SIMILAR];
	size_t n_messages;
	int64_t last;
	/* an object's allowance, 's' */
	double tokens;
	LIST_ENTRY(entry) bucket;
	TAILQ_ENTRY(entry) lru; /* least recently used first */
};

struct correlator {
	LIST_HEAD(entry_list, entry) buckets[BUCKETS];
	TAILQ_HEAD(entry_queue, entry) lru;
	size_t n;
};

static uint64_t hash_of(const char *s)
{
	uint64_t h = 14695981039346656037ULL; /* FNV-1a */
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211ULL;
	return h;
}

struct correlator *correlator_new(void)
{
	struct correlator *c = xcalloc(1, sizeof(*c));
	TAILQ_INIT(&c->lru);
	return c;
}

static void drop(struct correlator *c, struct entry *x)
{
	LIST_REMOVE(x, bucket);
	TAILQ_REMOVE(&c->lru, x, lru);
	c->n--;
	free(x->key);
	free(x->name);
	free(x);
}

void correlator_free(struct correlator *c)
{
	for (struct entry *x; (x = TAILQ_FIRST(&c->lru));)
		drop(c, x);
	free(c);
}

size_t correlator_size(const struct correlator *c)
{
	return c->n;
}

static struct entry *lookup(struct correlator *c, const char *key)
{
	uint64_t h = hash_of(key);
	struct entry *x = NULL;
	LIST_FOREACH(x, &c->buckets[h % BUCKETS], bucket)
	{
		if (x->hash == h && strcmp(x->key, key) == 0)
			break;
	}
	if (x) {
		TAILQ_REMOVE(&c->lru, x, lru);
		TAILQ_INSERT_TAIL(&c->lru, x, lru);
	}
	return x;
}

static struct entry *lookup_or_add(struct correlator *c, const char *key, bool *added)
{
	struct entry *x = lookup(c, key);
	*added = !x;
	if (x)
		return x;
	if (c->n >= CORRELATOR_MAX_ENTRIES)
		drop(c, TAILQ_FIRST(&c->lru));
	x = xcalloc(1, sizeof(*x));
	x->key = xstrdup(key);
	x->hash = hash_of(key);
	LIST_INSERT_HEAD(&c->buckets[x->hash % BUCKETS], x, bucket);
	TAILQ_INSERT_TAIL(&c->lru, x, lru);
	c->n++;
	return x;
}

static void put(struct buf *b, struct str s)
{
	buf_printf(b, "%zu:%.*s/", s.n, STR_ARG(s)); /* lengths keep keys apart */
}

static void object_key(struct buf *b, char kind, const struct k8s_object_ref *ref)
{
	buf_putc(b, kind);
	put(b, str_of(ref->resource->group));
	put(b, str_of(ref->resource->kind));
	put(b, ref->ns);
	put(b, ref->name);
	put(b, ref->uid);
}

static bool may_record(struct correlator *c, const struct k8s_object_ref *ref, int64_t now)
{
	_cleanup_buf_ struct buf key = {0};
	bool added;
	object_key(&key, 's', ref);
	struct entry *x = lookup_or_add(c, key.p, &added);
	if (added)
		x->tokens = CORRELATOR_BURST;
	else if (now > x->last)
		x->tokens += (double)(now - x->last) / CORRELATOR_REFILL_SECONDS;
	if (x->tokens > CORRELATOR_BURST)
		x->tokens = CORRELATOR_BURST;
	x->last = now;
	if (x->tokens < 1)
		return false;
	x->tokens -= 1;
	return true;
}

/* Whether this is one too many of a group of events that differ in their message only. */
static bool too_similar(struct correlator *c, const char *group, const char *message, int64_t now)
{
	bool added;
	struct entry *x = lookup_or_add(c, group, &added);
	uint64_t h = hash_of(message);
	if (!added && now - x->last > CORRELATOR_WINDOW_SECONDS)
		x->n_messages = 0;
	x->last = now;
	for (size_t i = 0; i < x->n_messages; i++) {
		if (x->messages[i] == h)
			return false;
	}
	if (x->n_messages == CORRELATOR_SIMILAR)
		return true;
	x->messages[x->n_messages++] = h;
	return false;
}

enum verdict correlate(struct correlator *c, const struct k8s_object_ref *ref, const char *type,
		       const char *reason, const char *message, int64_t now,
		       struct correlation *out)
{
	_cleanup_buf_ struct buf group = {0};
	*out = (struct correlation){.count = 1, .first = now, .last = now};
	object_key(&group, 'g', ref);
	put(&group, ref->field_path);
	put(&group, str_of(type));
	put(&group, str_of(reason));
	out->combined = too_similar(c, group.p, message, now);
	/* combined events share one key, whatever their message */
	out->key =
	    xasprintf("e%c%s%s", out->combined ? 'c' : 'm', group.p, out->combined ? "" : message);
	out->message = out->combined ? xasprintf("(combined from similar events): %s", message)
				     : xstrdup(message);
	if (!may_record(c, ref, now))
		return EVENT_SUPPRESSED;
	bool added;
	struct entry *x = lookup_or_add(c, out->key, &added);
	if (!x->name) {
		x->count = 1;
		x->first = now;
		return EVENT_NEW;
	}
	out->count = ++x->count;
	out->first = x->first;
	out->name = xstrdup(x->name);
	return EVENT_AGAIN;
}

void correlation_clear(struct correlation *c)
{
	free(c->key);
	free(c->name);
	free(c->message);
	*c = (struct correlation){0};
}

void correlator_created(struct correlator *c, const char *key, const char *name)
{
	struct entry *x = lookup(c, key);
	if (!x)
		return;
	free(x->name);
	x->name = xstrdup(name);
}

void correlator_forget(struct correlator *c, const char *key, const char *name)
{
	struct entry *x = lookup(c, key);
	if (x && x->name && strcmp(x->name, name) == 0)
		drop(c, x);
}
