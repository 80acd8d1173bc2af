/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/json.h"
#include "tests/chaos/chaos.h"

#include <stdio.h>
#include <string.h>

/*
 * Creates CloneSets and pods through the API server at a steady rate, and counts what is not
 * accepted, or not within 10 s. A connection of its own. What was created is deleted at once.
 */
#define TIMEOUT_USEC 10000000u

struct steady {
	struct k8s_client *k8s;
	int64_t sent, answered, admissions, failed;
	uint64_t owed_usec; /* when the next pair is due */
	bool stopped;
};

struct creation {
	struct chaos *c;
	const struct k8s_resource *resource;
	char name[32];
	uint64_t began_usec;
};

void steady_count(struct chaos *c, const char *what, const struct k8s_response *r)
{
	c->steady->admissions++;
	if (k8s_ok(r))
		return;
	c->steady->failed++;
	history_add(c, "*", "ADMISSION of a %s failed: %d %s", what, r->code, r->error);
	fprintf(stderr, "chaos: admission of a %s failed: %d %s\n", what, r->code, r->error);
}

static void on_deleted(const struct k8s_response *r, void *userdata)
{
	struct chaos *c = userdata;
	(void)r;
	c->steady->answered++;
}

static void on_created(const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	struct chaos *c = cr->c;
	steady_count(c, cr->resource->kind, r);
	k8s_delete(c->steady->k8s, cr->resource, c->o->namespace_, cr->name, NULL, 0, NULL,
		   on_deleted, c);
	free(cr);
}

static void create(struct chaos *c, const struct k8s_resource *resource, const char *text)
{
	_cleanup_arena_ arena *a = arena_new();
	val object;
	struct err e = {0};
	if (json_parse(a, text, strlen(text), &object, &e) < 0)
		fatal("%s", e.msg);
	struct creation *cr = xcalloc(1, sizeof(*cr));
	cr->c = c;
	cr->resource = resource;
	cr->began_usec = chaos_now();
	snprintf(cr->name, sizeof(cr->name), "%.*s",
		 STR_ARG(val_str(val_path(&object, "metadata", "name", NULL))));
	c->steady->sent++;
	k8s_create(c->steady->k8s, resource, c->o->namespace_, &object, on_created, cr);
}

static void tick(struct chaos *c)
{
	struct steady *cl = c->steady;
	const uint64_t now = chaos_now();
	while (!cl->stopped && now >= cl->owed_usec) {
		cl->owed_usec += 1000000 / (uint64_t)c->o->rate;
		_cleanup_free_ char *set =
		    xasprintf("{\"apiVersion\":\"apps.kruise.io/"
			      "v1alpha1\",\"kind\":\"CloneSet\",\"metadata\":{"
			      "\"name\":\"steady-%lld\"},\"spec\":{\"replicas\":0,\"selector\":{"
			      "\"matchLabels\":{"
			      "\"app\":\"steady\"}},\"template\":{\"metadata\":{\"labels\":{"
			      "\"app\":\"steady\"}},"
			      "\"spec\":{\"containers\":[{\"name\":\"m\",\"image\":\"x\"}]}}}}",
			      (long long)cl->sent);
		create(c, &K8S_CLONESETS, set);
		_cleanup_free_ char *pod =
		    xasprintf("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
			      "\"steady-%lld\"},"
			      "\"spec\":{\"nodeName\":\"nowhere\",\"containers\":[{\"name\":\"m\","
			      "\"image\":\"x\"}]}}",
			      (long long)cl->sent);
		create(c, &K8S_PODS, pod);
	}
}

void steady_start(struct chaos *c)
{
	struct err e = {0};
	_cleanup_k8s_config_ struct k8s_config *config = NULL;
	const struct k8s_client_options o = {.user_agent = "kruise-chaos-client",
					     .max_in_flight = 400,
					     .timeout_usec = TIMEOUT_USEC};
	c->steady = xcalloc(1, sizeof(*c->steady));
	c->steady->owed_usec = chaos_now();
	if (k8s_config_load(&config, c->o->kubeconfig, NULL, &e) < 0 ||
	    k8s_client_new(&c->steady->k8s, c->loop, config, &o, &e) < 0)
		fatal("%s", e.msg);
	chaos_every(c, 10000, tick);
}

void steady_stop(struct chaos *c)
{
	c->steady->stopped = true;
}

bool steady_idle(const struct chaos *c)
{
	return c->steady->answered == c->steady->sent;
}

int64_t steady_admissions(const struct chaos *c)
{
	return c->steady->admissions;
}

int64_t steady_failed(const struct chaos *c)
{
	return c->steady->failed;
}
