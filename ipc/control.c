/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/control.h"

#include "ipc/mp.h"

#include <errno.h>

static struct str cut(struct str s, size_t max)
{
	if (s.n <= max)
		return s;
	/* not inside a UTF-8 sequence */
	while (max > 0 && ((unsigned char)s.p[max] & 0xc0) == 0x80)
		max--;
	return (struct str){s.p, max};
}

void control_pack(struct buf *b, const struct control_msg *m)
{
	switch (m->type) {
	case CONTROL_HELLO:
		mpw_array(b, 4);
		mpw_uint(b, m->type);
		mpw_str(b, cut(m->hello.token, CONTROL_MAX_TOKEN));
		mpw_str(b, cut(m->hello.name, CONTROL_MAX_NAME));
		mpw_int(b, m->hello.pid);
		return;
	case CONTROL_BEAT:
		mpw_array(b, 5);
		mpw_uint(b, m->type);
		mpw_str(b, cut(m->beat.token, CONTROL_MAX_TOKEN));
		mpw_bool(b, m->beat.ready);
		mpw_str(b, cut(m->beat.note, CONTROL_MAX_NOTE));
		mpw_uint(b, m->beat.leader_until_usec);
		return;
	case CONTROL_LOG_LEVEL:
		mpw_array(b, 2);
		mpw_uint(b, m->type);
		mpw_str(b, cut(m->level, CONTROL_MAX_NAME));
		return;
	case CONTROL_STOP:
		mpw_array(b, 1);
		mpw_uint(b, m->type);
		return;
	case CONTROL_LEADER_WORKERS:
		mpw_array(b, 2);
		mpw_uint(b, m->type);
		mpw_int(b, m->count);
		return;
	case CONTROL_LEADER_UNTIL:
		mpw_array(b, 2);
		mpw_uint(b, m->type);
		mpw_uint(b, m->until_usec);
		return;
	}
}

static void read_string(struct mp *m, struct str *out, size_t min, size_t max)
{
	*out = mp_str(m);
	if (out->n < min || out->n > max)
		m->bad = true;
}

static void read_hello(struct mp *m, struct control_msg *out)
{
	read_string(m, &out->hello.token, 1, CONTROL_MAX_TOKEN);
	read_string(m, &out->hello.name, 1, CONTROL_MAX_NAME);
	out->hello.pid = mp_int(m);
	if (out->hello.pid <= 0 || out->hello.pid > INT32_MAX)
		m->bad = true;
}

static void read_beat(struct mp *m, struct control_msg *out)
{
	read_string(m, &out->beat.token, 1, CONTROL_MAX_TOKEN);
	out->beat.ready = mp_bool(m);
	out->beat.note = mp_str_opt(m);
	if (out->beat.note.n > CONTROL_MAX_NOTE)
		m->bad = true;
	out->beat.leader_until_usec = mp_uint(m);
}

static void read_level(struct mp *m, struct control_msg *out)
{
	read_string(m, &out->level, 1, CONTROL_MAX_NAME);
}

static void read_nothing(struct mp *m, struct control_msg *out)
{
	(void)m;
	(void)out;
}

static void read_count(struct mp *m, struct control_msg *out)
{
	out->count = mp_int(m);
	if (out->count < 0)
		m->bad = true;
}

static void read_until(struct mp *m, struct control_msg *out)
{
	out->until_usec = mp_uint(m);
}

static const struct {
	enum control_type type;
	uint32_t elements; /* at least */
	void (*read)(struct mp *m, struct control_msg *out);
} readers[] = {
    {CONTROL_HELLO, 4, read_hello},	     {CONTROL_BEAT, 5, read_beat},
    {CONTROL_LOG_LEVEL, 2, read_level},	     {CONTROL_STOP, 1, read_nothing},
    {CONTROL_LEADER_WORKERS, 2, read_count}, {CONTROL_LEADER_UNTIL, 2, read_until},
};

int control_unpack(const void *p, size_t n, struct control_msg *out, struct err *e)
{
	*out = (struct control_msg){0};
	if (n > CONTROL_MAX)
		return err_set(e, EBADMSG, "control message of %zu bytes", n);
	struct mp m = mp_open(p, n);
	uint32_t elements = mp_array(&m);
	uint64_t type = elements ? mp_uint(&m) : 0;
	if (m.bad || elements == 0)
		return err_set(e, EBADMSG, "control message is no array with a type");
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (readers[i].type != type)
			continue;
		out->type = readers[i].type;
		if (elements < readers[i].elements)
			return err_set(e, EBADMSG, "control message %d lacks fields", (int)type);
		readers[i].read(&m, out);
		for (uint32_t k = readers[i].elements; k < elements && !m.bad; k++)
			mp_skip(&m);
		if (m.bad || !mp_at_end(&m))
			return err_set(e, EBADMSG, "control message %d is malformed", (int)type);
		return 0;
	}
	return err_set(e, EBADMSG, "control message of unknown type %llu",
		       (unsigned long long)type);
}
