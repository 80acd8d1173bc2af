/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/configs.h"

#include "tests/cluster/nodesim/reflect.h"
#include "tests/cluster/nodesim/table.h"

#include <stdlib.h>
#include <string.h>

struct config {
	struct table_entry entry; /* first: a ConfigMap is its entry */
	char *keys;		  /* each ended by NUL, the last by two */
	bool seen;		  /* by the list under way */
};

struct sim_configs {
	struct table table;
	struct reflector *reflector;
	void (*changed)(void *userdata);
	void *userdata;
	bool listing;
};

static struct str meta(const val *object, const char *key)
{
	return val_str(val_path(object, "metadata", key, NULL));
}

static struct config *find(const struct sim_configs *s, struct str ns, struct str name)
{
	return (struct config *)table_find(&s->table, ns, name);
}

static void forget(struct sim_configs *s, struct config *c)
{
	table_remove(&s->table, &c->entry);
	free(c->entry.ns);
	free(c->entry.name);
	free(c->keys);
	free(c);
}

static char *keys_of(const val *object)
{
	const val *data = val_get(object, "data");
	struct buf keys = {0};
	for (size_t i = 0; i < val_len(data); i++) {
		const struct str key = val_key(data, i);
		buf_add(&keys, key.p, key.n);
		buf_putc(&keys, '\0');
	}
	buf_putc(&keys, '\0');
	return keys.p;
}

static void on_object(const val *object, const char *text, size_t n, void *userdata)
{
	struct sim_configs *s = userdata;
	const struct str ns = meta(object, "namespace"), name = meta(object, "name");
	struct config *c = find(s, ns, name);
	(void)text;
	(void)n;
	if (!ns.n || !name.n)
		return;
	if (!c) {
		c = xcalloc(1, sizeof(*c));
		c->entry.ns = xstrndup(ns.p, ns.n);
		c->entry.name = xstrndup(name.p, name.n);
		table_add(&s->table, &c->entry);
	}
	free(c->keys);
	c->keys = keys_of(object);
	c->seen = true;
	if (!s->listing)
		s->changed(s->userdata);
}

static void on_deleted(const val *object, void *userdata)
{
	struct sim_configs *s = userdata;
	struct config *c = find(s, meta(object, "namespace"), meta(object, "name"));
	if (c)
		forget(s, c);
}

static void unsee(struct table_entry *e, void *userdata)
{
	(void)userdata;
	((struct config *)e)->seen = false;
}

static void on_list_begin(void *userdata)
{
	struct sim_configs *s = userdata;
	s->listing = true;
	table_each(&s->table, unsee, NULL);
}

static void sweep(struct table_entry *e, void *userdata)
{
	struct config *c = (struct config *)e;
	if (!c->seen)
		forget(userdata, c);
}

static void on_list_end(void *userdata)
{
	struct sim_configs *s = userdata;
	s->listing = false;
	table_each(&s->table, sweep, s);
	s->changed(s->userdata);
}

static const struct reflect_ops ops = {
    .list_begin = on_list_begin,
    .object = on_object,
    .deleted = on_deleted,
    .list_end = on_list_end,
};

struct sim_configs *sim_configs_new(struct k8s_client *c, sd_event *loop,
				    void (*changed)(void *userdata), void *userdata)
{
	struct sim_configs *s = xcalloc(1, sizeof(*s));
	s->changed = changed;
	s->userdata = userdata;
	table_init(&s->table);
	s->reflector = reflector_new(c, loop, &K8S_CONFIGMAPS, NULL, &ops, s);
	return s;
}

static void forget_entry(struct table_entry *e, void *userdata)
{
	forget(userdata, (struct config *)e);
}

void sim_configs_free(struct sim_configs *s)
{
	if (!s)
		return;
	reflector_free(s->reflector);
	table_each(&s->table, forget_entry, s);
	table_free(&s->table);
	free(s);
}

bool sim_configs_has(const struct sim_configs *s, struct str ns, struct str name, struct str key)
{
	const struct config *c = find(s, ns, name);
	for (const char *k = c ? c->keys : ""; *k; k += strlen(k) + 1)
		if (str_is(key, k))
			return true;
	return false;
}
