/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/zloop.h"

#include "ipc/base/buf.h"
#include "ipc/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <zmq.h>

struct zloop {
	void *socket;
	zloop_fn readable;
	void *userdata;
	sd_event_source *io;
	sd_event_source *defer;
	bool look; /* the socket may have input that its descriptor does not tell */
};

static bool has_input(void *socket)
{
	int events = 0;
	size_t n = sizeof(events);
	return zmq_getsockopt(socket, ZMQ_EVENTS, &events, &n) == 0 && (events & ZMQ_POLLIN);
}

static int on_prepare(sd_event_source *s, void *userdata)
{
	(void)s;
	struct zloop *z = userdata;
	if (!z->look)
		return 0;
	z->look = false;
	if (has_input(z->socket))
		sd_event_source_set_enabled(z->defer, SD_EVENT_ONESHOT);
	return 0;
}

static int on_io(sd_event_source *s, int fd, uint32_t revents, void *userdata)
{
	(void)s;
	(void)fd;
	(void)revents;
	zloop_touched(userdata);
	return 0;
}

static int on_defer(sd_event_source *s, void *userdata)
{
	(void)s;
	struct zloop *z = userdata;
	z->look = true; /* the reader may leave something, or remove z */
	z->readable(z->socket, z->userdata);
	return 0;
}

void zloop_touched(struct zloop *z)
{
	if (z)
		z->look = true;
}

int zloop_add(struct zloop **out, sd_event *loop, void *socket, zloop_fn readable, void *userdata,
	      struct err *e)
{
	int fd = -1;
	size_t n = sizeof(fd);
	if (zmq_getsockopt(socket, ZMQ_FD, &fd, &n) != 0)
		return err_set(e, errno, "ZMQ_FD: %s", zmq_strerror(errno));

	struct zloop *z = xcalloc(1, sizeof(*z));
	z->socket = socket;
	z->readable = readable;
	z->userdata = userdata;
	z->look = true;
	int r = sd_event_add_defer(loop, &z->defer, on_defer, z);
	if (r >= 0)
		r = sd_event_source_set_enabled(z->defer, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_io(loop, &z->io, fd, EPOLLIN | EPOLLET, on_io, z);
	if (r >= 0)
		r = sd_event_source_set_prepare(z->io, on_prepare);
	if (r < 0) {
		zloop_remove(z);
		return err_set(e, -r, "event loop refuses a ZeroMQ socket");
	}
	*out = z;
	return 0;
}

void zloop_remove(struct zloop *z)
{
	if (!z)
		return;
	sd_event_source_disable_unref(z->io);
	sd_event_source_disable_unref(z->defer);
	free(z);
}

int zsock_new(void **ctx, void **socket, int type, struct err *e)
{
	*ctx = zmq_ctx_new();
	*socket = *ctx ? zmq_socket(*ctx, type) : NULL;
	if (!*socket) {
		int saved = errno;
		if (*ctx)
			zmq_ctx_term(*ctx);
		*ctx = NULL;
		return err_set(e, saved, "ZeroMQ socket: %s", zmq_strerror(saved));
	}
	zsock_option(*socket, ZMQ_LINGER, 0);
	return 0;
}

void zsock_free(void *ctx, void *socket)
{
	if (socket)
		zmq_close(socket);
	if (ctx)
		zmq_ctx_term(ctx);
}

void zsock_option(void *socket, int option, int value)
{
	if (zmq_setsockopt(socket, option, &value, sizeof(value)) != 0)
		log_warn("ZeroMQ option %d: %s", option, zmq_strerror(errno));
}
