/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_HANDOVER_H
#define SUPERVISOR_HANDOVER_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The supervisor replaces itself by exec: the process, its children and its descriptors stay. Two
 * things go over: the descriptors that nobody could open again, by name in $KRUISED_HANDOVER_FDS
 * ("webhook:5,lock:4,…"), and what is known of the children, as lines of text in the memory file
 * among them. They are apart so that a program that does not understand the second (another
 * version) still has the first: it ends the children that it does not know and starts its own.
 *
 *   kruised-handover 1
 *   set NAME VALUE
 *   child NAME PID STATE REASON TOKEN STARTED BEAT RESTART TERM DEADLINE READY STARTS HUNG FAILURES
 *   sandbox NAME LAYER…          of the child before it
 *   note NAME TEXT
 *
 * Unknown lines are skipped.
 */
struct supervisor;

/* The text. */
void handover_print(const struct supervisor *s, struct buf *out);
/* Fills the services and settings of `s`, whose services are as at a start. -EBADMSG: not for this
 * program; `s` may then be partly filled, and unknown_pids is of no meaning. Pids of children that
 * are not in our table are appended to *unknown, for the caller to end and free. */
int handover_parse(struct supervisor *s, const char *text, size_t n, int **unknown,
		   size_t *n_unknown, struct err *e);

/* Starts `program` in our place. Returns only on failure; everything is then as before. `client`:
 * the connection of kruisectl that waits for the reload, or -1. */
int handover_exec(struct supervisor *s, const char *program, int client, struct err *e);

/* First thing in main(): takes the descriptors, if there are any. True when this process was
 * started by handover_exec(). */
bool handover_take_fds(struct supervisor *s);
/* After the set-up, in place of a start: takes the children over. */
void handover_take_children(struct supervisor *s);

#endif
