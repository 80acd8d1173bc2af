/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_RUNTIME_JOURNAL_H
#define WORKERS_RUNTIME_JOURNAL_H

#include "ipc/base/err.h"
#include "kube/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a worker is about to do to other objects, written down before the request is sent, and
 * crossed out when the store shows the effect. It is OpenKruise's "expectations", made to survive a
 * crash: a name in here counts as existing (or as deleted, or as updated) until the store or the
 * API server says what is true. One small LMDB file per worker in DIR/journal-NAME.
 */
struct journal;

enum intent_kind { INTENT_CREATE = 'C', INTENT_DELETE = 'D', INTENT_UPDATE = 'U' };

struct intent {
	enum intent_kind kind;
	char ns[64];
	char name[254];
	char uid[64];	  /* of the object; empty for a creation */
	uint64_t rv;	  /* update: the store must show a newer resourceVersion than this */
	uint64_t at_usec; /* CLOCK_MONOTONIC, when it was written */
	/* not stored: */
	bool recovered; /* read from the file of a predecessor: its request may or may not have been
			   sent */
	bool checking;	/* a GET is under way */
	bool in_flight; /* our own request has not been answered yet */
	struct intent *next;
};

/* Reads what a predecessor left. A damaged or foreign file is moved aside with a warning. */
int journal_open(struct journal **out, const char *dir, const char *worker, struct err *e);
void journal_close(struct journal *j);

/* Writes n intents of one owner in one commit; they are on record when it returns 0. */
int journal_add(struct journal *j, const char *owner_uid, const struct intent *intents, size_t n,
		struct err *e);
/* First intent of the owner, walk with ->next; NULL when there is none. Owned by the journal. */
struct intent *journal_of(struct journal *j, const char *owner_uid);
struct intent *journal_find(struct journal *j, const char *owner_uid, enum intent_kind kind,
			    const char *name);
/* Crosses out. The file follows at the next journal_add or journal_flush, in the same commit. */
void journal_clear(struct journal *j, const char *owner_uid, struct intent *intent);
void journal_clear_owner(struct journal *j, const char *owner_uid);
/* Clears the owners for which keep() says no: those that are gone. */
void journal_retain(struct journal *j, bool (*keep)(const char *owner_uid, void *userdata),
		    void *userdata);
void journal_flush(struct journal *j);
size_t journal_count(const struct journal *j);

#endif
