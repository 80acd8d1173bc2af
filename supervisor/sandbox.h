/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SANDBOX_H
#define SUPERVISOR_SANDBOX_H

#include "ipc/base/buf.h"
#include "supervisor/services.h"

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What holds a child in. Every layer is taken when the system grants it; one that it does not grant
 * is left out and said in `kruisectl status`. The parent prepares a plan (memory, strings), the
 * forked child applies it without taking a lock or memory, and notes what it got in a page that
 * both share until the exec.
 */
enum sandbox_layer {
	LAYER_USER,   /* another user than the supervisor's */
	LAYER_CAPS,   /* no capabilities, and none to be had */
	LAYER_NNP,    /* no_new_privs */
	LAYER_MOUNTS, /* mount namespace: all read-only but the run directory */
	LAYER_TMP,    /* its own /tmp */
	LAYER_WRITES, /* Landlock: writes only to its own files, signals and ptrace to nobody else
		       */
	LAYER_SYSCALLS,
	LAYER_MEMORY,
	LAYER_CPU,
	LAYER_CORE, /* no core dumps: they would hold keys and tokens */
	N_LAYERS
};

/* In force: the variant, from 1 (see the table in sandbox.c). Else: 0 or -errno. */
struct sandbox_report {
	int16_t layer[N_LAYERS];
};

enum sandbox_kind { SANDBOX_WATCHER, SANDBOX_WORKER, SANDBOX_ADMISSION, N_SANDBOX_KINDS };
enum sandbox_kind sandbox_kind(const struct service_def *d);

#define SANDBOX_MAX_PATHS 8

struct sandbox_path {
	char *path;
	bool dir;
	bool write; /* else it only has to stay visible */
};

struct sandbox_plan {
	bool off; /* --sandbox=off: only user, capabilities, no_new_privs and limits */
	bool drop_user;
	bool core_dumps;
	uid_t uid;
	gid_t gid;
	const char *rundir;
	struct sandbox_path paths[SANDBOX_MAX_PATHS];
	size_t n_paths;
	struct sock_fprog filter; /* len 0: none */
	struct sandbox_report *report;
};

struct supervisor;

/* The shared pages of all children's reports. */
struct sandbox_report *sandbox_reports_new(size_t n);
/* The plan for a child; makes the files that it may write. Free with sandbox_plan_free(). */
void sandbox_plan(const struct supervisor *s, const struct service_def *d,
		  struct sandbox_report *report, struct sandbox_plan *out);
void sandbox_plan_free(struct sandbox_plan *p);
/* "user, capabilities=none, …; not in force: private /tmp (Operation not permitted)" */
void sandbox_describe(const struct sandbox_report *r, struct buf *out);

/* sandbox_child.c: between fork and exec. All but the user and no_new_privs may fail. Returns NULL,
 * or what failed, with errno. The filter comes last: it does not allow the other steps. */
const char *sandbox_enter(const struct sandbox_plan *p);
void sandbox_filter(const struct sandbox_plan *p);

/* seccomp.c: the filters of all kinds, or -errno when there are none. The caller frees .filter. */
int seccomp_programs(struct sock_fprog out[N_SANDBOX_KINDS]);

#endif
