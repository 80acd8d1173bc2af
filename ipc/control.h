/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_CONTROL_H
#define IPC_CONTROL_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The messages of the control channel. The supervisor binds a ZeroMQ ROUTER at
 * ipc://RUNDIR/control, each child is a DEALER; a message is one frame (the ROUTER sees the peer's
 * identity frame before it), a msgpack array whose first element is the type. Elements after the
 * known ones are ignored, so that fields can be added.
 *
 *   child → supervisor
 *     [HELLO, token, name, pid]                      once, first
 *     [BEAT, token, ready, note|nil, leader_until]   every 500 ms and on each change
 *   supervisor → child
 *     [LOG_LEVEL, level]                             "info", "debug", "5" …
 *     [STOP]
 *     [LEADER_WORKERS, count]                        to the elector
 *     [LEADER_UNTIL, usec]                           to the leader's workers, on each renewal
 */
enum control_type {
	CONTROL_HELLO = 1,
	CONTROL_BEAT = 2,
	CONTROL_LOG_LEVEL = 16,
	CONTROL_STOP = 17,
	CONTROL_LEADER_WORKERS = 18,
	CONTROL_LEADER_UNTIL = 19,
};

#define CONTROL_MAX 4096 /* a longer frame is malformed; control_pack() cuts notes to fit */
#define CONTROL_MAX_NAME 64
#define CONTROL_MAX_TOKEN 128
#define CONTROL_MAX_NOTE 1024
#define CONTROL_BEAT_USEC 500000u

struct control_hello {
	struct str token;
	struct str name; /* as in `kruisectl status`: "watcher", "cloneset", "webhookd" */
	int64_t pid;
};

struct control_beat {
	struct str token;
	bool ready;
	struct str note; /* absent when there is none */
	uint64_t
	    leader_until_usec; /* CLOCK_MONOTONIC; 0: not the leader; UINT64_MAX: no election */
};

struct control_msg {
	enum control_type type;
	union {
		struct control_hello hello;
		struct control_beat beat;
		struct str level;    /* CONTROL_LOG_LEVEL */
		int64_t count;	     /* CONTROL_LEADER_WORKERS, ≥ 0 */
		uint64_t until_usec; /* CONTROL_LEADER_UNTIL, as in a beat */
	};
};

/* Appends the frame. */
void control_pack(struct buf *b, const struct control_msg *m);
/* Every bound and type is checked; strings point into p. -EBADMSG when malformed or of unknown
 * type. */
int control_unpack(const void *p, size_t n, struct control_msg *out, struct err *e);

#endif
