/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/delta_int.h"

#include "ipc/base/log.h"
#include "ipc/zloop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

struct delta_pub {
	void *ctx, *socket;
	struct buf topic;
	struct buf header;
};

int delta_pub_new(struct delta_pub **out, const char *dir, struct err *e)
{
	struct delta_pub *p = xcalloc(1, sizeof(*p));
	int r = zsock_new(&p->ctx, &p->socket, ZMQ_XPUB, e);
	if (r < 0) {
		free(p);
		return r;
	}
	zsock_option(p->socket, ZMQ_SNDHWM, DELTA_HWM);
	_cleanup_free_ char *endpoint = xasprintf("ipc://%s/deltas", dir);
	if (zmq_bind(p->socket, endpoint) != 0) {
		r = err_set(e, errno, "bind %s: %s", endpoint, zmq_strerror(errno));
		delta_pub_free(p);
		return r;
	}
	*out = p;
	return 0;
}

void delta_pub_free(struct delta_pub *p)
{
	if (!p)
		return;
	zsock_free(p->ctx, p->socket);
	buf_free(&p->topic);
	buf_free(&p->header);
	free(p);
}

/* Subscriptions arrive as messages; unread they would pile up. */
static void drain(struct delta_pub *p)
{
	char frame[256];
	while (zmq_recv(p->socket, frame, sizeof(frame), ZMQ_DONTWAIT) >= 0)
		log_trace("deltas: a subscription came or went");
}

void delta_pub_send_packed(struct delta_pub *p, const char *resource, const void *frame, size_t n)
{
	drain(p);
	buf_reset(&p->topic);
	buf_puts(&p->topic, resource);
	buf_putc(&p->topic, ' ');
	/* XPUB never blocks: it drops for whom the mark is reached, whole messages at a time. */
	if (zmq_send(p->socket, p->topic.p, p->topic.len, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0 ||
	    zmq_send(p->socket, frame, n, ZMQ_DONTWAIT) < 0)
		log_warn("deltas: %s", zmq_strerror(errno));
}

void delta_pub_send(struct delta_pub *p, const char *resource, const struct delta *d)
{
	buf_reset(&p->header);
	delta_pack(&p->header, d);
	delta_pub_send_packed(p, resource, p->header.p, p->header.len);
}

void delta_pub_mark(struct delta_pub *p, const char *resource, uint64_t epoch, uint64_t seq)
{
	buf_reset(&p->header);
	delta_mark_pack(&p->header, epoch, seq);
	delta_pub_send_packed(p, resource, p->header.p, p->header.len);
}
