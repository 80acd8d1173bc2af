/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/containerlaunchpriority/launches.h"

#include "ipc/base/buf.h"

#include <stdlib.h>
#include <string.h>

struct launch *launches_find(const struct launches *all, const char *key)
{
	struct launch *l;
	HASH_FIND_STR(all->pods, key, l);
	return l;
}

void launch_unknown(struct launch *l)
{
	free(l->barrier_uid);
	free(l->opened);
	l->barrier_uid = l->opened = NULL;
}

static void launch_free(struct launches *all, struct launch *l)
{
	HASH_DEL(all->pods, l);
	launch_unknown(l);
	free(l->pod_uid);
	free(l->key);
	free(l);
}

struct launch *launches_of(struct launches *all, const char *key, struct str pod_uid)
{
	struct launch *l = launches_find(all, key);
	if (l && str_is(pod_uid, l->pod_uid))
		return l;
	if (l)
		launch_free(all, l);
	l = xcalloc(1, sizeof(*l));
	l->key = xstrdup(key);
	l->pod_uid = xstrndup(pod_uid.p ? pod_uid.p : "", pod_uid.n);
	HASH_ADD_KEYPTR(hh, all->pods, l->key, strlen(l->key), l);
	return l;
}

void launches_forget(struct launches *all, const char *key)
{
	struct launch *l = launches_find(all, key);
	if (l)
		launch_free(all, l);
}

void launches_forget_all(struct launches *all)
{
	struct launch *l, *tmp;
	HASH_ITER(hh, all->pods, l, tmp)
	launch_free(all, l);
}

void launch_opened(struct launch *l, struct str barrier_uid, const char *key, uint64_t now_usec)
{
	launch_unknown(l);
	l->barrier_uid = xstrndup(barrier_uid.p ? barrier_uid.p : "", barrier_uid.n);
	l->opened = xstrdup(key);
	l->checked_usec = now_usec;
}
