/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Looks into an object store, for tests.
 *
 *   storedump RUNDIR RESOURCE            all objects as one JSON array
 *   storedump --sync RUNDIR RESOURCE     {"synced":…,"epoch":…,"seq":…,"rv":…,"age_usec":…}
 *   storedump --deltas RUNDIR RESOURCE   deltas as they come, one a line: "A ns/name mask", "gap";
 * first "ready" storedump --set-rv RUNDIR RESOURCE N  (without a watcher) pretends that the store
 * stands at N
 */

#include "ipc/base/log.h"
#include "ipc/delta.h"
#include "ipc/store.h"
#include "kube/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int print_entry(const struct store_entry *entry, void *userdata)
{
	bool *first = userdata;
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf b = {0};
	val v;
	struct err e;
	if (store_object(entry, a, &v, &e) < 0)
		fatal("%s", e.msg);
	json_print(&b, &v, 0);
	printf("%s%s\n", *first ? "" : ",", b.p);
	*first = false;
	return 0;
}

static struct store_txn *begin(struct store **s, const char *dir)
{
	struct store_txn *t;
	struct err e;
	if (store_open_reader(s, dir, &e) < 0 || store_begin(*s, &t, &e) < 0)
		fatal("%s", e.msg);
	return t;
}

static int dump(const char *dir, const char *resource)
{
	bool first = true;
	struct store *s;
	struct store_txn *t = begin(&s, dir);
	printf("[");
	int r = store_list(t, resource, (struct str){0}, print_entry, &first);
	printf("]\n");
	store_end(t);
	store_close(s);
	return r == 0 ? 0 : 1;
}

static int print_sync(const char *dir, const char *resource)
{
	struct store *store;
	struct store_sync s;
	struct timespec ts;
	struct store_txn *t = begin(&store, dir);
	int r = store_sync_get(t, resource, &s);
	store_end(t);
	store_close(store);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	uint64_t now = (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
	printf("{\"synced\":%s,\"epoch\":%" PRIu64 ",\"seq\":%" PRIu64 ",\"rv\":%" PRIu64
	       ",\"age_usec\":%" PRIu64 "}\n",
	       s.synced ? "true" : "false", s.epoch, s.seq, s.rv,
	       now > s.updated_usec ? now - s.updated_usec : 0);
	return r >= 0 ? 0 : 1;
}

static void on_delta(const char *resource, const struct delta *d, void *userdata)
{
	(void)resource;
	(void)userdata;
	printf("%c %.*s/%.*s %x\n", d->type, STR_ARG(d->ns), STR_ARG(d->name), d->changed);
}

static void on_gap(const char *resource, void *userdata)
{
	(void)resource;
	bool *ready = userdata;
	/* the first mark of the watcher is a "new epoch" to us: the subscription is in force */
	printf("%s\n", *ready ? "gap" : "ready");
	*ready = true;
}

static int follow(const char *dir, const char *resource)
{
	sd_event *loop;
	struct delta_sub *sub;
	struct err e;
	bool ready = false;
	const char *const resources[] = {resource, NULL};
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (sd_event_new(&loop) < 0 ||
	    delta_sub_new(&sub, loop, dir, resources, on_delta, on_gap, &ready, &e) < 0)
		fatal("%s", e.msg);
	delta_sub_seen(sub, resource, 1, 0);
	return sd_event_loop(loop) < 0;
}

static int set_rv(const char *dir, const char *resource, const char *rv)
{
	struct store *s;
	struct store_write *w;
	struct store_sync sync;
	struct err e;
	if (store_open_writer(&s, dir, &e) < 0 || store_write_begin(s, &w, &e) < 0)
		fatal("%s", e.msg);
	store_sync_get(store_write_txn(w), resource, &sync);
	sync.rv = strtoull(rv, NULL, 10);
	if (store_sync_set(w, resource, &sync, &e) < 0 || store_write_commit(w, &e) < 0)
		fatal("%s", e.msg);
	store_close(s);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return dump(argv[1], argv[2]);
	if (argc == 4 && strcmp(argv[1], "--sync") == 0)
		return print_sync(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "--deltas") == 0)
		return follow(argv[2], argv[3]);
	if (argc == 5 && strcmp(argv[1], "--set-rv") == 0)
		return set_rv(argv[2], argv[3], argv[4]);
	fprintf(stderr, "usage: storedump [--sync|--deltas|--set-rv] RUNDIR RESOURCE [RV]\n");
	return 2;
}
