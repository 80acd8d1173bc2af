/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/json.h"
#include "tests/chaos/chaos.h"

#include <string.h>

/*
 * Pods that nobody schedules and nobody owns: they only make the store, and with it lists and
 * starts, as large as in a large cluster.
 */
static struct {
	int64_t sent, done;
} fill;

static void create(struct chaos *c);

static void on_created(const struct k8s_response *r, void *userdata)
{
	struct chaos *c = userdata;
	if (!k8s_ok(r))
		fatal("a pod for the store: %s", r->error);
	fill.done++;
	if (fill.sent < c->o->fill)
		create(c);
}

static void create(struct chaos *c)
{
	_cleanup_arena_ arena *a = arena_new();
	const char *text = arena_printf(a,
					"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{"
					"\"name\":\"fill-%lld\",\"labels\":{"
					"\"app\":\"fill\"}},\"spec\":{\"schedulerName\":\"nobody\","
					"\"automountServiceAccountToken\":"
					"false,\"containers\":[{\"name\":\"main\",\"image\":"
					"\"nginx:1\",\"env\":[{\"name\":\"A\","
					"\"value\":\"b\"}],\"resources\":{\"requests\":{\"cpu\":"
					"\"100m\",\"memory\":\"64Mi\"}}}]}}",
					(long long)fill.sent++);
	val object;
	struct err e = {0};
	if (json_parse(a, text, strlen(text), &object, &e) < 0)
		fatal("%s", e.msg);
	k8s_create(c->client, &K8S_PODS, c->o->namespace_, &object, on_created, c);
}

void fill_start(struct chaos *c)
{
	for (int i = 0; i < 50 && fill.sent < c->o->fill; i++)
		create(c);
}

bool fill_done(struct chaos *c)
{
	return fill.done >= c->o->fill;
}
