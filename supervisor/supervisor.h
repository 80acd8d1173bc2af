/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SUPERVISOR_H
#define SUPERVISOR_SUPERVISOR_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "ipc/control.h"
#include "ipc/ctl.h"
#include "ipc/options.h"
#include "ipc/zloop.h"
#include "supervisor/backoff.h"
#include "supervisor/sandbox.h"
#include "supervisor/services.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

/*
 * kruised's own state; one instance, made by main.c and passed to all. One thread, one event loop.
 * Files: rundir, sockets, cgroup (set up once); process (fork, exec, kill, reap); monitor (what
 * each child's state demands now, and when to look again); control (messages from and to children);
 * ctl_server (kruisectl); reload; stop; status.
 */
enum service_state {
	SERVICE_WAITING,  /* its conditions are not met */
	SERVICE_BACKOFF,  /* died; starts at restart_usec */
	SERVICE_STARTING, /* runs, has not said hello */
	SERVICE_RUNNING,
	SERVICE_STOPPING, /* told to stop; SIGTERM at term_usec, SIGKILL at deadline_usec */
	SERVICE_HUNG,	  /* got SIGABRT; SIGKILL at deadline_usec */
	SERVICE_KILLED,	  /* got SIGKILL */
	SERVICE_STOPPED,  /* for good: the supervisor stops */
};

/* Why a running child is about to end. A child that ends without a reason has crashed. */
enum end_reason {
	END_CRASH,
	END_HUNG,
	END_REPLACE,	/* restart or reload asked for */
	END_LEADERSHIP, /* leadership is over */
	END_SHUTDOWN,
};

struct service {
	const struct service_def *def;
	enum service_state state;
	enum end_reason reason;
	pid_t pid; /* 0: no process */
	char token[33];
	uint8_t identity[255]; /* of its DEALER, once it has said hello */
	size_t identity_len;
	uint64_t started_usec, beat_usec;
	uint64_t restart_usec, term_usec, deadline_usec;
	bool ready;
	char note[256];
	uint64_t starts; /* processes so far */
	uint64_t hung;	 /* of them, that had to be ended since they hung */
	struct backoff backoff;
	struct sandbox_report *sandbox; /* of the last process */
};

enum { SOCKET_WEBHOOK, SOCKET_HEALTH, SOCKET_METRICS, N_SOCKETS };

struct listener {
	const char *name; /* "webhook", … */
	int fd;
	uint16_t port;
};

struct cgroups {
	bool enabled;
	bool cpu;	/* the controller is there too */
	char path[256]; /* of our delegated group in the file system */
};

/* Replacing the supervisor itself, see handover.h; -1: no such descriptor. */
struct handover {
	bool happened; /* this program has taken over from another */
	int ctl_fd, client_fd, state_fd;
};

struct reload;
struct ctl_server;
struct telemetry;

struct supervisor {
	sd_event *loop;
	struct options options;
	int argc;
	char **argv;
	char *libexec_dir;
	char *program; /* our own path, as it was at the start */
	struct handover handover;
	char *control_endpoint;
	uid_t uid; /* of children, when drop_user */
	gid_t gid;
	bool drop_user;
	char *kubeconfig_copy; /* for children that may not read the original */
	struct sandbox_report *reports;
	struct sock_fprog filters[N_SANDBOX_KINDS];
	int filters_missing; /* -errno: why there are none */
	int null_fd, lock_fd;
	uint64_t rundir_checked_usec;
	struct listener sockets[N_SOCKETS];
	struct cgroups cgroups;

	struct service *services;
	size_t n_services;
	struct leadership leadership;
	bool configured;
	int64_t told_workers; /* what the elector was last told */
	char log_level[16];   /* set by kruisectl for all; empty: as started */

	void *zmq_ctx, *router;
	struct zloop *zloop;
	bool skipping; /* in the middle of a message that is not wanted */
	uint64_t bad_messages, bad_logged_usec;

	sd_event_source *tick_timer, *tick_post;
	uint64_t tick_planned_usec;
	struct ctl_server *ctl;
	struct reload *reload;
	struct telemetry *telemetry;

	bool stopping;
	unsigned stop_phase;
	uint64_t stop_started_usec;
	bool notified_ready;
	char notified_status[256];
	uint64_t begun_usec;
};

uint64_t now_usec(void); /* CLOCK_MONOTONIC */

/* Once a second at most: ends the process when the run directory was removed or replaced. Nothing
 * works without it, its lock protects nobody any more, and systemd starts us anew. */
void rundir_check(struct supervisor *s, uint64_t now);
/* rundir.c: makes, owns and locks the run directory. */
int rundir_prepare(struct supervisor *s, struct err *e);
int rundir_write(const struct supervisor *s, const char *name, const char *text, struct err *e);

/* sockets.c: binds what systemd did not hand over, and writes RUNDIR/ports. */
int sockets_open(struct supervisor *s, struct err *e);

/* cgroup.c. Not being delegated is no failure. */
void cgroups_init(struct cgroups *c, bool taken_over);
struct cgroup_child {
	int fd;	 /* to write "0" to from within the child; -1: no group */
	int cpu; /* 1: CPU time is limited; else -errno or 0 */
};
struct cgroup_child cgroups_child(const struct cgroups *c, const struct service_def *d);

/* process.c */
int process_user(struct supervisor *s, struct err *e);
/* credentials.c: when only root may read the kubeconfig: copies it for the children, into the run
 * directory. Called before each start, so that a change of the file comes through. */
int credentials_prepare(struct supervisor *s, struct err *e);
bool process_limit_memory(void); /* false in sanitizer builds, and by $KRUISED_NO_RLIMIT_AS=1 */
/* Starts a process; on failure the service is as if it had died. */
void process_start(struct supervisor *s, struct service *v);
void process_signal(const struct service *v, int sig);
void process_kill(struct service *v, enum end_reason reason);
/* Asks to end, with limits: SIGTERM when the message alone does not do, SIGKILL at last. */
void process_stop(struct supervisor *s, struct service *v, enum end_reason reason,
		  uint64_t limit_usec);
/* Reaps all dead children, those inherited from others (as PID 1) too. */
void process_reap(struct supervisor *s);

/* monitor.c */
/* A process has ended, with waitpid's status; decides what follows. */
void monitor_exited(struct supervisor *s, struct service *v, int status);
/* There is no process (any more), without a reason: back-off, or waiting. */
void monitor_died(struct supervisor *s, struct service *v);
int monitor_start(struct supervisor *s, struct err *e);
struct conditions monitor_conditions(const struct supervisor *s);
bool service_alive(const struct service *v);
const char *service_state_name(const struct service *v);

/* control.c */
int control_open(struct supervisor *s, struct err *e);
void control_drain(struct supervisor *s); /* reads what is there, within bounds */
/* 0, or -errno when the child has no connection. */
int control_send(struct supervisor *s, const struct service *v, const struct control_msg *m);
void control_close(struct supervisor *s);

/* stop.c */
void stop_begin(struct supervisor *s, const char *why);
/* Goes on with the stop; the time of the next step, UINT64_MAX: when a child exits. */
void stop_step(struct supervisor *s);

/* status.c: sd_notify, and the lines of `kruisectl status`. */
void status_notify(struct supervisor *s);
void status_print(const struct supervisor *s, struct buf *lines);

/* telemetry.c: RUNDIR/metrics/kruised.prom */
struct telemetry *telemetry_new(void);
void telemetry_free(struct telemetry *t);
void telemetry_step(struct supervisor *s, uint64_t now);

/* ctl_server.c. Connections are told by number: one may be gone when an answer comes. */
int ctl_server_open(struct supervisor *s, struct err *e);
void ctl_server_close(struct supervisor *s);
/* The listening socket, and a connection's descriptor; -1: none. */
int ctl_server_fd(const struct supervisor *s);
int ctl_connection_fd(const struct supervisor *s, uint64_t connection);
/* A connection from before a handover, whose request is known; its number, 0: none. */
uint64_t ctl_server_adopt(struct supervisor *s, int fd);
void ctl_reply(struct supervisor *s, uint64_t connection, enum ctl_line_kind kind, const char *fmt,
	       ...) __attribute__((format(printf, 4, 5)));

/* reload.c: replaces the supervisor itself, then the children one after the other. What is
 * installed is tried first, with --version: a program that does not run replaces nothing. -EBUSY
 * when one is under way. */
int reload_begin(struct supervisor *s, uint64_t connection, struct err *e);
/* The second half, in the new supervisor. */
void reload_resume(struct supervisor *s);
/* True when it was the process that tries the new program. */
bool reload_exited(struct supervisor *s, pid_t pid, int status);
/* Replaces one child at once. */
int reload_one(struct supervisor *s, struct service *v, struct err *e);
/* Goes on with a reload; the time to look again. */
uint64_t reload_step(struct supervisor *s, uint64_t now);
void reload_cancel(struct supervisor *s, const char *why);

#endif
