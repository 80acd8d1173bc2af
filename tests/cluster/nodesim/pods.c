/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/pods.h"

#include "ipc/base/log.h"
#include "kube/json.h"
#include "tests/cluster/nodesim/pod.h"
#include "tests/cluster/nodesim/reflect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct str meta(const val *object, const char *key)
{
	return val_str(val_path(object, "metadata", key, NULL));
}

static struct sim_pod *find(const struct sim_pods *all, const val *object)
{
	return (struct sim_pod *)table_find(&all->table, meta(object, "namespace"),
					    meta(object, "name"));
}

static void forget(struct sim_pod *p)
{
	table_remove(&p->all->table, &p->entry);
	if (p->call)
		k8s_call_cancel(p->call);
	sd_event_source_disable_unref(p->timer);
	if (p->node >= 0)
		sim_nodes_count(p->all->nodes, (uint32_t)p->node, -1);
	sim_runtime_free(&p->runtime);
	free(p->entry.ns);
	free(p->entry.name);
	free(p->uid);
	free(p->text);
	p->all->counts.pods--;
	free(p);
}

/* A pod that ran before we did keeps its address, and nobody else gets it. */
static void learn_address(struct sim_pod *p, const val *object)
{
	const struct str ip = val_str(val_path(object, "status", "podIP", NULL));
	char text[20];
	unsigned a, b, c;
	snprintf(text, sizeof(text), "%.*s", STR_ARG(ip));
	if (sscanf(text, "10.%u.%u.%u", &a, &b, &c) != 3 || a < 128 || a > 255 || b > 255 ||
	    c > 255)
		return;
	p->ip = (a - 128) << 16 | b << 8 | c;
	if (p->ip > p->all->last_ip)
		p->all->last_ip = p->ip;
}

static struct sim_now wall(const struct sim_pods *all)
{
	uint64_t mono = 0, real = 0;
	sd_event_now(all->loop, CLOCK_MONOTONIC, &mono);
	sd_event_now(all->loop, CLOCK_REALTIME, &real);
	return (struct sim_now){mono, (int64_t)(real / 1000000)};
}

static bool has_key(struct str configmap, struct str key, void *userdata)
{
	const struct sim_pod *p = userdata;
	return sim_configs_has(p->all->configs, str_of(p->entry.ns), configmap, key);
}

static void bound_to(struct sim_pod *p, const val *object, int64_t node)
{
	p->node = node;
	sim_nodes_count(p->all->nodes, (uint32_t)node, 1);
	sim_runtime_init(&p->runtime, object, &p->all->options->times, wall(p->all));
	p->runtime.has_key = has_key;
	p->runtime.userdata = p;
	learn_address(p, object);
}

static struct sim_pod *remember(struct sim_pods *all, const val *object)
{
	const struct str ns = meta(object, "namespace"), name = meta(object, "name");
	const struct str uid = meta(object, "uid");
	if (!ns.n || !name.n || !uid.n)
		return NULL;
	struct sim_pod *p = xcalloc(1, sizeof(*p));
	p->all = all;
	p->node = -1;
	p->entry.ns = xstrndup(ns.p, ns.n);
	p->entry.name = xstrndup(name.p, name.n);
	p->uid = xstrndup(uid.p, uid.n);
	table_add(&all->table, &p->entry);
	all->counts.pods++;
	return p;
}

static void on_object(const val *object, const char *text, size_t n, void *userdata)
{
	struct sim_pods *all = userdata;
	const struct str name = val_str(val_path(object, "spec", "nodeName", NULL));
	const int64_t node = name.n ? sim_nodes_find(all->nodes, name) : -1;
	struct sim_pod *p = find(all, object);
	if (p && !str_is(meta(object, "uid"), p->uid)) {
		forget(p); /* its end was missed */
		p = NULL;
	}
	if (name.n && node < 0) { /* bound to somebody else's node */
		if (p)
			forget(p);
		return;
	}
	if (!p)
		p = remember(all, object);
	if (!p)
		return;
	p->seen = true;

	_cleanup_arena_ arena *a = NULL;
	if (!text) {
		a = arena_new();
		text = json_str(a, object, 0);
		n = strlen(text);
	}
	if (!sim_pod_take(p, object, text, n))
		return;
	if (node >= 0 && p->node < 0)
		bound_to(p, object, node);
	sim_pod_work(p, object);
}

static void on_deleted(const val *object, void *userdata)
{
	struct sim_pod *p = find(userdata, object);
	if (p && str_is(meta(object, "uid"), p->uid))
		forget(p);
}

static void unsee(struct table_entry *e, void *userdata)
{
	(void)userdata;
	((struct sim_pod *)e)->seen = false;
}

static void on_list_begin(void *userdata)
{
	struct sim_pods *all = userdata;
	all->listing = true;
	table_each(&all->table, unsee, NULL);
}

static void sweep(struct table_entry *e, void *userdata)
{
	struct sim_pod *p = (struct sim_pod *)e;
	(void)userdata;
	if (p->seen)
		sim_pod_work(p, NULL);
	else
		forget(p);
}

static void on_list_end(void *userdata)
{
	struct sim_pods *all = userdata;
	all->listing = false;
	table_each(&all->table, sweep, NULL);
	log_info("%llu pods listed", (unsigned long long)all->counts.pods);
	if (all->listed)
		return;
	all->listed = true;
	all->on_listed(all->userdata);
}

static const struct reflect_ops pod_ops = {
    .list_begin = on_list_begin,
    .object = on_object,
    .deleted = on_deleted,
    .list_end = on_list_end,
};

/* A real kubelet takes longer, since it tries again only now and then. */
static void try_held(struct table_entry *e, void *userdata)
{
	struct sim_pod *p = (struct sim_pod *)e;
	(void)userdata;
	if (sim_runtime_held(&p->runtime))
		sim_pod_work(p, NULL);
}

static void on_configs(void *userdata)
{
	struct sim_pods *all = userdata;
	table_each(&all->table, try_held, NULL);
}

struct sim_pods *sim_pods_new(struct k8s_client *c, sd_event *loop, const struct sim_options *o,
			      struct sim_nodes *nodes, void (*listed)(void *userdata),
			      void *userdata)
{
	struct sim_pods *all = xcalloc(1, sizeof(*all));
	*all = (struct sim_pods){.client = c,
				 .loop = loop,
				 .options = o,
				 .nodes = nodes,
				 .on_listed = listed,
				 .userdata = userdata};
	table_init(&all->table);
	all->configs = sim_configs_new(c, loop, on_configs, all);
	all->reflector =
	    reflector_new(c, loop, &K8S_PODS, o->bind ? NULL : "fieldSelector=spec.nodeName%21%3D",
			  &pod_ops, all);
	return all;
}

static void forget_entry(struct table_entry *e, void *userdata)
{
	(void)userdata;
	forget((struct sim_pod *)e);
}

void sim_pods_free(struct sim_pods *all)
{
	if (!all)
		return;
	reflector_free(all->reflector);
	sim_configs_free(all->configs);
	table_each(&all->table, forget_entry, NULL);
	table_free(&all->table);
	free(all);
}

static void wake(struct table_entry *e, void *userdata)
{
	struct sim_pod *p = (struct sim_pod *)e;
	if (p->node == *(const int64_t *)userdata)
		sim_pod_work(p, NULL);
}

void sim_pods_wake(struct sim_pods *all, uint32_t node)
{
	int64_t which = node;
	table_each(&all->table, wake, &which);
}

struct sim_pods_counts sim_pods_counts(const struct sim_pods *all)
{
	return all->counts;
}
