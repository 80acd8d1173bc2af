/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/delta_int.h"

#include "ipc/mp.h"

#include <errno.h>

static void pack_owner(struct buf *b, const struct delta_owner *o)
{
	if (!o->uid.p) {
		mpw_array(b, 0);
		return;
	}
	mpw_array(b, 4);
	mpw_str(b, o->api_version);
	mpw_str(b, o->kind);
	mpw_str(b, o->name);
	mpw_str(b, o->uid);
}

/* [epoch, seq, type, ns, name, uid, rv, changed, terminating, owner, old owner] */
#define DELTA_FIELDS 11

void delta_pack(struct buf *b, const struct delta *d)
{
	mpw_array(b, DELTA_FIELDS);
	mpw_uint(b, d->epoch);
	mpw_uint(b, d->seq);
	mpw_uint(b, (uint8_t)d->type);
	mpw_str(b, d->ns);
	mpw_str(b, d->name);
	mpw_str(b, d->uid);
	mpw_uint(b, d->rv);
	mpw_uint(b, d->changed);
	mpw_bool(b, d->terminating);
	pack_owner(b, &d->owner);
	pack_owner(b, &d->old_owner);
}

static void read_owner(struct mp *m, struct delta_owner *o)
{
	*o = (struct delta_owner){0};
	uint32_t n = mp_array(m);
	if (n == 0)
		return;
	o->api_version = mp_str_opt(m);
	o->kind = mp_str_opt(m);
	o->name = mp_str_opt(m);
	o->uid = mp_str(m);
	if (n != 4)
		m->bad = true;
}

int delta_unpack(const void *p, size_t n, struct delta *out, size_t *used, struct err *e)
{
	*out = (struct delta){0};
	struct mp m = mp_open(p, n < DELTA_MAX ? n : DELTA_MAX);
	uint32_t fields = mp_array(&m);
	struct delta d = {.epoch = mp_uint(&m), .seq = 0};
	d.seq = mp_uint(&m);
	uint64_t type = mp_uint(&m);
	d.ns = mp_str_opt(&m);
	d.name = mp_str(&m);
	d.uid = mp_str_opt(&m);
	d.rv = mp_uint(&m);
	uint64_t changed = mp_uint(&m);
	d.terminating = mp_bool(&m);
	read_owner(&m, &d.owner);
	read_owner(&m, &d.old_owner);
	for (uint32_t i = DELTA_FIELDS; i < fields && !m.bad; i++)
		mp_skip(&m);
	if (type != DELTA_ADDED && type != DELTA_MODIFIED && type != DELTA_DELETED)
		m.bad = true;
	if (m.bad || fields < DELTA_FIELDS || changed > UINT32_MAX)
		return err_set(e, EBADMSG, "delta is malformed");
	*used = (size_t)(m.p - (const uint8_t *)p);
	d.type = (char)type;
	d.changed = (uint32_t)changed;
	*out = d;
	return 0;
}

void delta_mark_pack(struct buf *b, uint64_t epoch, uint64_t seq)
{
	mpw_array(b, 2);
	mpw_uint(b, epoch);
	mpw_uint(b, seq);
}

bool delta_mark_unpack(const void *p, size_t n, uint64_t *epoch, uint64_t *seq)
{
	struct mp m = mp_open(p, n);
	if (mp_array(&m) != 2)
		return false;
	*epoch = mp_uint(&m);
	*seq = mp_uint(&m);
	return !m.bad && mp_at_end(&m);
}
