/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/bench/bench.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void bench_say(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("bench: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

void bench_open(struct bench *b, const struct bench_args *args, int in_flight)
{
	struct err e = {0};
	_cleanup_k8s_config_ struct k8s_config *config = NULL;
	const struct k8s_client_options o = {.user_agent = "kruise-bench",
					     .max_in_flight = in_flight};
	*b = (struct bench){.args = args};
	signal(SIGPIPE, SIG_IGN);
	if (sd_event_default(&b->loop) < 0)
		fatal("cannot make an event loop");
	if (k8s_config_load(&config, args->kubeconfig, NULL, &e) < 0 ||
	    k8s_client_new(&b->client, b->loop, config, &o, &e) < 0)
		fatal("%s", e.msg);
}

void bench_close(struct bench *b)
{
	k8s_client_free(b->client);
	sd_event_unref(b->loop);
}

void bench_until(struct bench *b, bool (*fn)(void *userdata), void *userdata, const char *what)
{
	const double end = bench_now() + (double)b->args->timeout_sec;
	while (!fn(userdata)) {
		if (bench_now() > end)
			fatal("gave up waiting for %s after %lld s", what,
			      (long long)b->args->timeout_sec);
		if (sd_event_run(b->loop, 100000) < 0)
			fatal("the event loop failed");
	}
}

/* One page of objects, each deleted by a request of its own: the server's deletion of a whole
 * collection does not end within the time-out of a request when there are thousands. */
struct removal {
	struct bench *b;
	const struct k8s_resource *r;
	bool listed;
	size_t found, left; /* of the page: all, and those without an answer */
};

static void on_deleted(const struct k8s_response *r, void *userdata)
{
	struct removal *d = userdata;
	if (!k8s_ok(r) && !k8s_is_not_found(r))
		fatal("deletion: %s", r->error);
	d->left--;
}

static void on_listed(const struct k8s_response *r, void *userdata)
{
	struct removal *d = userdata;
	if (!k8s_ok(r))
		fatal("the list of what is to be deleted: %s", r->error);
	const val *items = val_get(r->object, "items");
	d->listed = true;
	d->found = d->left = val_len(items);
	for (size_t i = 0; i < d->found; i++) {
		const val *name = val_path(val_at(items, i), "metadata", "name", NULL);
		k8s_delete(d->b->client, d->r, d->b->args->namespace_, val_cstr(r->arena, name),
			   NULL, 0, NULL, on_deleted, d);
	}
}

static bool page_gone(void *userdata)
{
	const struct removal *d = userdata;
	return d->listed && d->left == 0;
}

void bench_delete_all(struct bench *b, const struct k8s_resource *r, const char *query)
{
	_cleanup_free_ char *q = xasprintf("limit=500&%s", query);
	struct removal d;
	do {
		d = (struct removal){.b = b, .r = r};
		k8s_list(b->client, r, b->args->namespace_, q, on_listed, &d);
		bench_until(b, page_gone, &d, "the deletion of what was there");
	} while (d.found > 0);
}

val bench_template(arena *a, const char *app, const char *image)
{
	val template = val_map(), container = val_map(), containers = val_array();
	val *meta = val_ensure_map(a, &template, "metadata");
	val_set(a, val_ensure_map(a, meta, "labels"), "app", val_of_str(app));
	val_set(a, &container, "name", val_of_str("main"));
	val_set(a, &container, "image", val_of_str(image));
	val_push(a, &containers, container);
	val *spec = val_ensure_map(a, &template, "spec");
	val_set(a, spec, "containers", containers);
	val_set(a, spec, "automountServiceAccountToken", val_of_bool(false));
	val_set(a, spec, "terminationGracePeriodSeconds", val_of_int(1));
	return template;
}

val bench_cloneset(arena *a, const struct bench_args *args)
{
	val set = val_map();
	val_set(a, &set, "apiVersion", val_of_str("apps.kruise.io/v1alpha1"));
	val_set(a, &set, "kind", val_of_str("CloneSet"));
	val *meta = val_ensure_map(a, &set, "metadata");
	val_set(a, meta, "name", val_of_str(args->name));
	val_set(a, meta, "namespace", val_of_str(args->namespace_));
	val *spec = val_ensure_map(a, &set, "spec");
	val_set(a, spec, "replicas", val_of_int(args->replicas));
	val *selector = val_ensure_map(a, spec, "selector");
	val_set(a, val_ensure_map(a, selector, "matchLabels"), "app", val_of_str(args->name));
	val_set(a, spec, "template", bench_template(a, args->name, "nginx:1"));
	val *strategy = val_ensure_map(a, spec, "updateStrategy");
	val_set(a, strategy, "type", val_of_str("InPlaceIfPossible"));
	val_set(a, strategy, "maxUnavailable",
		val_of_str(arena_printf(a, "%lld%%", (long long)args->max_unavailable_pct)));
	return set;
}
