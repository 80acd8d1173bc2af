/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_RUNTIME_H
#define NODESIM_RUNTIME_H

#include "kube/value.h"
#include "tests/cluster/nodesim/faults.h"
#include "tests/cluster/nodesim/options.h"

/*
 * The container runtime of one pod: which containers run which image since when. It is driven by
 * the pod's newest version and the clock, and does no I/O: advancing it twice with the same input
 * changes nothing the second time.
 */
struct sim_now {
	uint64_t mono_usec; /* for delays; never 0 */
	int64_t unix_sec;   /* for what is written into statuses */
};

enum sim_state { SIM_NEW, SIM_RUNNING, SIM_WAITING, SIM_TERMINATED };

struct sim_end {
	int exit_code;
	const char *reason; /* literal */
	int64_t started, finished;
	int restarts; /* which container of that name it was */
};

struct sim_container {
	char *name;
	char *image; /* that runs or ran last; NULL: never started */
	enum sim_state state;
	const char *waiting; /* literal, of SIM_WAITING */
	int restarts;
	int64_t started;    /* of SIM_RUNNING */
	struct sim_end end; /* of SIM_TERMINATED */
	bool has_last;
	struct sim_end last;
	uint64_t due;	   /* of the next change; 0: none is planned */
	uint64_t ready_at; /* of SIM_RUNNING */
	uint64_t backoff;  /* of a crash loop */
	bool done;	   /* never starts again */
};

struct sim_runtime {
	uint64_t start_at;
	int64_t start_time; /* status.startTime */
	size_t n_init, n;   /* n counts init containers too; they come first */
	struct sim_container *containers;
	uint64_t kill_at; /* 0: not being deleted */
	bool killed;
	/* Whether a key of a ConfigMap in the pod's namespace exists; NULL: all do. Asked before a
	 * container starts, for each variable that comes from one. To be set after init. */
	bool (*has_key)(struct str configmap, struct str key, void *userdata);
	void *userdata;
};

/* A new pod's runtime, or what the pod's status says ran already (after a restart of the
 * simulator). */
void sim_runtime_init(struct sim_runtime *rt, const val *pod, const struct sim_times *t,
		      struct sim_now now);
void sim_runtime_free(struct sim_runtime *rt);

/* Makes everything happen that is due. Returns when to come again (mono_usec), 0: on a change only.
 */
uint64_t sim_runtime_advance(struct sim_runtime *rt, const val *pod, const struct sim_faults *f,
			     const struct sim_times *t, struct sim_now now);

/* The pod is to be removed now: its deletion was asked for and its time is over. */
bool sim_runtime_kill_due(const struct sim_runtime *rt, struct sim_now now);
/* Ends all containers, for a pod whose removal went through (finalizers may keep the object). */
void sim_runtime_kill(struct sim_runtime *rt, struct sim_now now);

/* A container waits for a key of a ConfigMap. */
bool sim_runtime_held(const struct sim_runtime *rt);
bool sim_container_ready(const struct sim_container *c, const struct sim_faults *f,
			 struct sim_now now);
bool sim_runtime_initialized(const struct sim_runtime *rt);
/* All containers but the init containers are done. */
bool sim_runtime_finished(const struct sim_runtime *rt);

#endif
