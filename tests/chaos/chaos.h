/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHAOS_CHAOS_H
#define CHAOS_CHAOS_H

#include "kube/rest.h"
#include "tests/chaos/random.h"

#include <stdio.h>
#include <sys/types.h>

/*
 * kruise-chaos: rolls CloneSets, creates objects through admission, kills the children of one
 * kruised, and judges what the API server shows. One process on one event loop; each file is one
 * part, and they meet here. Times are CLOCK_REALTIME in µs, as the tree's log has them.
 */
struct chaos_options {
	const char *kubeconfig; /* NULL: as kubectl finds it */
	const char *namespace_;
	const char *log;       /* kruised's */
	const char *rundir;    /* kruised's */
	const char *kruisectl; /* the program */
	const char *webhook;   /* "https://127.0.0.1:PORT" */
	const char *history;   /* file that gets all that was seen and done */
	int64_t kills, seed;
	int64_t interval_ms;  /* between kills, about */
	int64_t rate;	      /* creations a second, of CloneSets and of pods each */
	int64_t fill;	      /* pods that only fill the store */
	int64_t deadline_sec; /* for a roll-out after its last change */
};

struct record;
struct driver;
struct steady;
struct tree;
struct killer;

struct chaos {
	const struct chaos_options *o;
	sd_event *loop;
	struct k8s_client *client;
	struct rng rng;
	struct history *history;
	struct record *record;
	struct driver *driver;
	struct steady *steady;
	struct tree *tree;
	struct killer *killer;
};

uint64_t chaos_now(void);
/* Calls fn every so often; ends with the process. */
void chaos_every(struct chaos *c, uint64_t usec, void (*fn)(struct chaos *c));

/* history.c: what happened, of a CloneSet ("*": concerns all). Kept in a file, the end in memory.
 */
struct history *history_open(const char *path);
void history_add(struct chaos *c, const char *set, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints the last entries that concern the set. */
void history_print(struct chaos *c, const char *set);

/* record.c: watches pods and CloneSets, and judges each event. */
void record_start(struct chaos *c);
bool record_synced(const struct chaos *c); /* both watches run */
/* Whether the CloneSet's roll-out is over. */
bool record_settled(const struct chaos *c, const char *set);
struct record_faults {
	int64_t extra_pods, unavailable_breaches, same_ids;
};
struct record_faults record_faults(const struct chaos *c);
/* One line about the state of a CloneSet. */
void record_describe(const struct chaos *c, const char *set);
/* The name of one of its active pods, or NULL. */
const char *record_some_pod(const struct chaos *c, const char *set, uint32_t random);

/* driver.c: CloneSets and what is changed in them. */
void driver_start(struct chaos *c);
void driver_change(struct chaos *c, bool on); /* off at first: only creation */
bool driver_settled(struct chaos *c);
int64_t driver_rollouts(const struct chaos *c);
int64_t driver_unfinished(struct chaos *c);
/* A pod event: plays the part of who set up a lifecycle hook. */
void driver_pod(struct chaos *c, const char *set, const val *pod);

/* steady.c: the steady client. What others send through admission is counted here too. */
void steady_start(struct chaos *c);
void steady_stop(struct chaos *c);
bool steady_idle(const struct chaos *c);
/* The answer to a request that was sent at that time. */
void steady_count(struct chaos *c, const char *what, uint64_t sent_usec,
		  const struct k8s_response *r);
int64_t steady_admissions(const struct chaos *c);
int64_t steady_failed(const struct chaos *c);
/* Not among the failed ones: inside a webhookd that died, which is a known limit. */
int64_t steady_lost(const struct chaos *c);

/* fill.c */
void fill_start(struct chaos *c);
bool fill_done(struct chaos *c);

/* tree.c: the children, as kruised's log tells of them. */
enum kind { KIND_WATCHER, KIND_WEBHOOKD, KIND_CONFIG, KIND_ELECTOR, KIND_WORKER, N_KINDS };
struct child {
	const char *name;
	const char *process; /* as its own log lines name it */
	enum kind kind;
	bool crash_points; /* on workers/runtime/sync.c */
	pid_t pid;	   /* 0: none now */
	uint64_t started_usec;
	bool ready;	      /* as the supervisor has it */
	bool acted;	      /* has done what it is for, once */
	uint64_t died_usec;   /* the last death */
	uint64_t delay_usec;  /* back-off after it */
	uint64_t killed_usec; /* by us, what recovery is counted from; 0: nothing to count */
	bool killed_hard;     /* counted from the signal, not from the death */
	/* the killer's */
	unsigned deaths; /* in a row, as back-off counts them */
	unsigned deaths_max;
	bool restarting, armed, again;
	uint64_t again_usec, armed_usec;
};
#define N_CHILDREN 8
void tree_start(struct chaos *c);
struct child *tree_children(struct chaos *c);
bool tree_whole(struct chaos *c); /* all are up and have acted */
/* Whether a webhookd has crashed in that time. */
bool tree_admission_up(const struct chaos *c); /* one webhookd at least is there */
bool tree_lost_webhookd(const struct chaos *c, uint64_t from, uint64_t to);
/* About to be signalled, or to reach a crash point (hard: false). */
void tree_expect(struct chaos *c, struct child *v, bool hard);

/* killer.c */
void killer_init(struct chaos *c);
void killer_start(struct chaos *c);
int64_t killer_kills(const struct chaos *c);
void killer_print(const struct chaos *c);	       /* how often each method was drawn */
void killer_died(struct chaos *c, struct child *v);    /* from tree.c */
void killer_started(struct chaos *c, struct child *v); /* from tree.c */
bool killer_done(const struct chaos *c);

/* recovery.c: times from death to the first useful act. */
void recovery_add(enum kind kind, bool delayed, uint64_t usec);
void recovery_probe(struct chaos *c); /* a webhookd was killed: how long until any answers */
void recovery_probe_start(struct chaos *c);
void recovery_print(void);
int64_t recovery_worst_ms(void);

#endif
