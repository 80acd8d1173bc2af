/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/delta_int.h"

#include "ipc/base/log.h"
#include "ipc/zloop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

/* Messages read in one turn of the loop; other sources have their turn between. */
#define BATCH 512

struct position {
	const char *resource;
	bool known;
	uint64_t epoch, seq; /* of the last delta seen */
};

struct delta_sub {
	void *ctx, *socket;
	struct zloop *zloop;
	delta_fn on_delta;
	delta_gap_fn on_gap;
	void *userdata;
	size_t n;
	struct position *positions;
	zmq_msg_t topic, frame;
};

static struct position *find(struct delta_sub *s, const char *resource, size_t n)
{
	for (size_t i = 0; i < s->n; i++) {
		const char *r = s->positions[i].resource;
		if (strlen(r) == n && memcmp(r, resource, n) == 0)
			return &s->positions[i];
	}
	return NULL;
}

/* True when the delta is new. A gap is told before the delta that shows it. */
static bool advance(struct delta_sub *s, struct position *p, uint64_t epoch, uint64_t seq,
		    bool mark)
{
	uint64_t expected = mark ? p->seq : p->seq + 1;
	bool gap = p->known && (epoch != p->epoch || seq > expected);
	if (p->known && epoch == p->epoch && seq < expected)
		return false;
	p->known = true;
	p->epoch = epoch;
	p->seq = seq;
	if (gap)
		s->on_gap(p->resource, s->userdata);
	return true;
}

static void handle(struct delta_sub *s, const char *topic, size_t topic_len, const char *frame,
		   size_t len)
{
	struct position *p = NULL;
	if (topic_len > 0 && topic[topic_len - 1] == ' ')
		p = find(s, topic, topic_len - 1);
	if (!p)
		return;
	uint64_t epoch, seq;
	if (delta_mark_unpack(frame, len, &epoch, &seq)) {
		advance(s, p, epoch, seq, true);
		return;
	}
	struct delta d;
	struct err e;
	for (size_t used; len > 0; frame += used, len -= used) {
		if (delta_unpack(frame, len, &d, &used, &e) < 0) {
			log_warn("deltas of %s: %s", p->resource, e.msg);
			return;
		}
		if (advance(s, p, d.epoch, d.seq, false))
			s->on_delta(p->resource, &d, s->userdata);
	}
}

/* Frames of a message arrive all or not at all. */
static void skip_rest(void *socket, zmq_msg_t *last)
{
	while (zmq_msg_more(last))
		if (zmq_msg_recv(last, socket, ZMQ_DONTWAIT) < 0)
			return;
}

static void on_readable(void *socket, void *userdata)
{
	struct delta_sub *s = userdata;
	for (int i = 0; i < BATCH; i++) {
		if (zmq_msg_recv(&s->topic, socket, ZMQ_DONTWAIT) < 0)
			return;
		if (!zmq_msg_more(&s->topic) || zmq_msg_recv(&s->frame, socket, ZMQ_DONTWAIT) < 0)
			continue;
		bool more = zmq_msg_more(&s->frame);
		if (more)
			skip_rest(socket, &s->frame);
		else
			handle(s, zmq_msg_data(&s->topic), zmq_msg_size(&s->topic),
			       zmq_msg_data(&s->frame), zmq_msg_size(&s->frame));
	}
}

static int subscribe(struct delta_sub *s, const char *dir, struct err *e)
{
	zsock_option(s->socket, ZMQ_RCVHWM, DELTA_HWM);
	zsock_option(s->socket, ZMQ_RECONNECT_IVL, 10);
	for (size_t i = 0; i < s->n; i++) {
		_cleanup_free_ char *topic = xasprintf("%s ", s->positions[i].resource);
		if (zmq_setsockopt(s->socket, ZMQ_SUBSCRIBE, topic, strlen(topic)) != 0)
			return err_set(e, errno, "subscribe: %s", zmq_strerror(errno));
	}
	_cleanup_free_ char *endpoint = xasprintf("ipc://%s/deltas", dir);
	if (zmq_connect(s->socket, endpoint) != 0)
		return err_set(e, errno, "connect %s: %s", endpoint, zmq_strerror(errno));
	return 0;
}

int delta_sub_new(struct delta_sub **out, sd_event *loop, const char *dir,
		  const char *const *resources, delta_fn on_delta, delta_gap_fn on_gap,
		  void *userdata, struct err *e)
{
	struct delta_sub *s = xcalloc(1, sizeof(*s));
	s->on_delta = on_delta;
	s->on_gap = on_gap;
	s->userdata = userdata;
	while (resources[s->n])
		s->n++;
	s->positions = xcalloc(s->n, sizeof(*s->positions));
	for (size_t i = 0; i < s->n; i++)
		s->positions[i].resource = resources[i];
	zmq_msg_init(&s->topic);
	zmq_msg_init(&s->frame);

	int r = zsock_new(&s->ctx, &s->socket, ZMQ_SUB, e);
	if (r == 0)
		r = subscribe(s, dir, e);
	if (r == 0)
		r = zloop_add(&s->zloop, loop, s->socket, on_readable, s, e);
	if (r < 0) {
		delta_sub_free(s);
		return r;
	}
	*out = s;
	return 0;
}

void delta_sub_free(struct delta_sub *s)
{
	if (!s)
		return;
	zloop_remove(s->zloop);
	zmq_msg_close(&s->topic);
	zmq_msg_close(&s->frame);
	zsock_free(s->ctx, s->socket);
	free(s->positions);
	free(s);
}

void delta_sub_seen(struct delta_sub *s, const char *resource, uint64_t epoch, uint64_t seq)
{
	struct position *p = find(s, resource, strlen(resource));
	if (!p || (p->known && p->epoch == epoch && p->seq >= seq))
		return;
	p->known = true;
	p->epoch = epoch;
	p->seq = seq;
}
