/* SPDX-License-Identifier: Apache-2.0 */
#include "watcher/writer.h"

#include "ipc/base/log.h"
#include "watcher/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct writer {
	sd_event *loop;
	struct store *store;
	struct delta_pub *pub;
	sd_event_source *idle;

	struct store_write *txn; /* open, or NULL */
	unsigned changes;
	uint64_t opened_usec;
	struct feed *dirty;

	struct metric *commit_seconds, *deltas;
};

static uint64_t now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

uint64_t writer_parse_rv(struct str s)
{
	uint64_t v = 0;
	if (s.n == 0 || s.n > 20)
		return 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)s.p[i] - '0';
		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return 0;
		v = v * 10 + d;
	}
	return v;
}

static int on_idle(sd_event_source *s, void *userdata)
{
	(void)s;
	writer_flush(userdata);
	return 0;
}

int writer_new(struct writer **out, sd_event *loop, struct store *s, struct delta_pub *pub,
	       struct metrics *m, struct err *e)
{
	struct writer *w = xcalloc(1, sizeof(*w));
	w->loop = sd_event_ref(loop);
	w->store = s;
	w->pub = pub;
	int r = sd_event_add_defer(loop, &w->idle, on_idle, w);
	if (r >= 0)
		r = sd_event_source_set_enabled(w->idle, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_priority(w->idle, SD_EVENT_PRIORITY_IDLE);
	if (r < 0) {
		writer_free(w);
		return err_set(e, -r, "event loop: %s", strerror(-r));
	}
	static const char *const labels[] = {"resource", "type", NULL};
	static const double bounds[] = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1};
	w->commit_seconds = metric_new(m, METRIC_HISTOGRAM, "kruised_store_commit_seconds",
				       "Time that commits of the object store took.", NULL);
	metric_buckets(w->commit_seconds, bounds, sizeof(bounds) / sizeof(bounds[0]));
	w->deltas = metric_new(m, METRIC_COUNTER, "kruised_watcher_deltas_total",
			       "Deltas published, by resource and type.", labels);
	*out = w;
	return 0;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	writer_flush(w);
	sd_event_source_disable_unref(w->idle);
	sd_event_unref(w->loop);
	free(w);
}

static void publish(struct writer *w, struct feed *f)
{
	if (f->deltas.len > 0)
		delta_pub_send_packed(w->pub, f->resource, f->deltas.p, f->deltas.len);
	buf_reset(&f->deltas);
}

static void open_txn(struct writer *w)
{
	if (w->txn)
		return;
	struct err e;
	if (store_write_begin(w->store, &w->txn, &e) < 0)
		fatal("%s", e.msg);
	w->opened_usec = now_usec();
	w->changes = 0;
	sd_event_source_set_enabled(w->idle, SD_EVENT_ONESHOT);
}

void writer_flush(struct writer *w)
{
	if (!w->txn && !w->dirty)
		return;
	open_txn(w);
	struct err e;
	for (struct feed *f = w->dirty; f; f = f->next_dirty) {
		if (store_sync_set(w->txn, f->resource, &f->sync, &e) < 0)
			fatal("%s", e.msg);
	}
	uint64_t start = now_usec();
	int r = store_write_commit(w->txn, &e);
	w->txn = NULL;
	if (r < 0)
		fatal("%s", e.msg);
	metric_observe(w->commit_seconds, (double)(now_usec() - start) / 1e6);
	sd_event_source_set_enabled(w->idle, SD_EVENT_OFF);
	while (w->dirty) {
		struct feed *f = w->dirty;
		w->dirty = f->next_dirty;
		f->dirty = false;
		publish(w, f);
	}
}

void writer_touch(struct writer *w, struct feed *f)
{
	if (!f->dirty) {
		f->dirty = true;
		f->next_dirty = w->dirty;
		w->dirty = f;
	}
	sd_event_source_set_enabled(w->idle, SD_EVENT_ONESHOT);
}

static void enqueue(struct writer *w, struct feed *f, struct delta *d)
{
	d->epoch = f->sync.epoch;
	d->seq = ++f->sync.seq;
	delta_pack(&f->deltas, d);
	writer_touch(w, f);
	metric_add(w->deltas, 1, f->resource,
		   d->type == DELTA_ADDED      ? "added"
		   : d->type == DELTA_MODIFIED ? "modified"
					       : "deleted");
}

static void maybe_flush(struct writer *w)
{
	if (++w->changes >= WRITER_MAX_CHANGES || now_usec() - w->opened_usec >= WRITER_MAX_USEC)
		writer_flush(w);
}

static void delta_of(struct delta *d, char type, const struct store_entry *entry)
{
	struct change_view view;
	change_view(entry->object, entry->object_len, &view);
	*d = (struct delta){.type = type,
			    .ns = entry->ns,
			    .name = entry->name,
			    .uid = entry->uid,
			    .rv = entry->rv,
			    .changed = UINT32_MAX,
			    .terminating = view.terminating,
			    .owner = view.owner};
}

/* The object is in the transaction; old is what was there. */
static void announce(struct writer *w, struct feed *f, struct str ns, struct str name,
		     bool replaced, const struct store_entry *old)
{
	struct store_entry now;
	if (store_get(store_write_txn(w->txn), f->resource, ns, name, &now) != 1)
		fatal("store: %s: an object just written is not there", f->resource);
	struct delta d;
	/* The same name with another uid: one object has gone, another has come. */
	bool other = replaced && !str_eq(old->uid, now.uid);
	if (other) {
		delta_of(&d, DELTA_DELETED, old);
		d.old_owner = d.owner;
		enqueue(w, f, &d);
	}
	delta_of(&d, replaced && !other ? DELTA_MODIFIED : DELTA_ADDED, &now);
	if (replaced && !other) {
		d.changed = change_mask(old->object, old->object_len, now.object, now.object_len);
		d.old_owner = d.owner;
		struct change_view before;
		if (d.changed & DELTA_OWNER) {
			change_view(old->object, old->object_len, &before);
			d.old_owner = before.owner;
		}
	}
	enqueue(w, f, &d);
}

int writer_put(struct writer *w, struct feed *f, const val *object, bool listed)
{
	struct store_entry old;
	struct err e;
	open_txn(w);
	struct str name = val_str(val_path(object, "metadata", "name", NULL));
	struct str ns = val_str(val_path(object, "metadata", "namespace", NULL));
	int r = store_put(w->txn, f->resource, object, &old, &e);
	if (r == -EINVAL) {
		log_warn("%s: %s", f->resource, e.msg);
		return r;
	}
	if (r == 0 && listed &&
	    writer_parse_rv(val_str(val_path(object, "metadata", "resourceVersion", NULL))) !=
		old.rv) {
		/* The server has gone back in time (restored from a backup), or is another one. */
		writer_del(w, f, ns, name, 0);
		open_txn(w);
		r = store_put(w->txn, f->resource, object, &old, &e);
	}
	if (r < 0)
		fatal("%s", e.msg);
	if (r > 0)
		announce(w, f, ns, name, r == 2, &old);
	maybe_flush(w);
	return 0;
}

void writer_del(struct writer *w, struct feed *f, struct str ns, struct str name, uint64_t rv)
{
	open_txn(w);
	struct store_entry old;
	struct err e;
	int r = store_get(store_write_txn(w->txn), f->resource, ns, name, &old);
	if (r == 1 && rv && old.rv > rv)
		return;
	r = store_del(w->txn, f->resource, ns, name, &old, &e);
	if (r < 0)
		fatal("%s", e.msg);
	if (r == 0)
		return;
	struct delta d;
	delta_of(&d, DELTA_DELETED, &old);
	d.old_owner = d.owner;
	enqueue(w, f, &d);
	maybe_flush(w);
}

struct doomed {
	writer_keep_fn keep;
	void *userdata;
	struct buf keys; /* ns NUL name NUL … */
};

static int collect(const struct store_entry *entry, void *userdata)
{
	struct doomed *d = userdata;
	if (d->keep(entry->ns, entry->name, d->userdata))
		return 0;
	buf_add(&d->keys, entry->ns.p, entry->ns.n);
	buf_putc(&d->keys, '\0');
	buf_add(&d->keys, entry->name.p, entry->name.n);
	buf_putc(&d->keys, '\0');
	return 0;
}

void writer_prune(struct writer *w, struct feed *f, writer_keep_fn keep, void *userdata)
{
	struct doomed d = {.keep = keep, .userdata = userdata};
	open_txn(w);
	int r = store_list(store_write_txn(w->txn), f->resource, (struct str){0}, collect, &d);
	if (r < 0)
		fatal("store: list of %s: %s", f->resource, strerror(-r));
	for (const char *p = d.keys.p; p && p < d.keys.p + d.keys.len;) {
		struct str ns = str_of(p);
		struct str name = str_of(p + ns.n + 1);
		writer_del(w, f, ns, name, 0);
		p = name.p + name.n + 1;
	}
	buf_free(&d.keys);
}
