/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_ZLOOP_H
#define IPC_ZLOOP_H

#include "ipc/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

/*
 * A ZeroMQ socket on an sd-event loop. ZMQ_FD is edge-triggered and says only "look again": a
 * socket may have messages although its descriptor is quiet, in particular after any send or
 * receive. So after each of these the socket's ZMQ_EVENTS are looked at before the loop polls
 * again, and a deferred source runs the reader when there is something; the descriptor only wakes
 * the loop.
 */
struct zloop;

/* Reads messages until there are none, or it has done enough for one turn: what is left is found
 * again. */
typedef void (*zloop_fn)(void *socket, void *userdata);

int zloop_add(struct zloop **out, sd_event *loop, void *socket, zloop_fn readable, void *userdata,
	      struct err *e);
/* To be called after whatever is done with the socket outside of the reader. */
void zloop_touched(struct zloop *z);
/* Before the socket is closed. Allowed within the reader. */
void zloop_remove(struct zloop *z);

/* A socket of its own context: one I/O thread, no lingering. NULL on failure. */
int zsock_new(void **ctx, void **socket, int type, struct err *e);
void zsock_free(void *ctx, void *socket);
/* Sets an integer option; they cannot fail but by mistake of ours. */
void zsock_option(void *socket, int option, int value);

#endif
