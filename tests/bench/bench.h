/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "kube/rest.h"

/*
 * What the subcommands of kruise-bench share. Each prints its figures as "key=value" lines on
 * standard output, progress on standard error, and exits non-zero only when a measurement could not
 * be made.
 */
struct bench_args {
	const char *kubeconfig; /* NULL: as kubectl finds it */
	const char *namespace_;
	const char *name;
	int64_t replicas;
	int64_t concurrency;	     /* requests in flight */
	int64_t max_unavailable_pct; /* of an in-place update */
	int64_t timeout_sec;	     /* for one phase */
	int64_t pid;		     /* of the process tree to measure; 0: none */
	int64_t apiserver_pid, nodesim_pid;
	const char *process; /* a word of the command line that selects children */
	const char *url;
	const char *ca; /* PEM file; NULL: the certificate is not checked */
	const char *log;
	const char *pattern;
	int64_t seconds, connections;
	bool keep; /* leave the objects */
};

struct bench {
	const struct bench_args *args;
	sd_event *loop;
	struct k8s_client *client;
};

/* Connects, or exits with the reason. in_flight 0: the client's default. */
void bench_open(struct bench *b, const struct bench_args *args, int in_flight);
void bench_close(struct bench *b);

/* Turns the loop until fn says true; exits with what when that takes longer than the time-out. */
void bench_until(struct bench *b, bool (*fn)(void *userdata), void *userdata, const char *what);

double bench_now(void); /* seconds, monotonic */
void bench_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Deletes what the query selects and waits until it is gone. */
void bench_delete_all(struct bench *b, const struct k8s_resource *r, const char *query);

/* The pod template that all measurements use. */
val bench_template(arena *a, const char *app, const char *image);
val bench_cloneset(arena *a, const struct bench_args *args);

int bench_floor(const struct bench_args *args);
int bench_cloneset_run(const struct bench_args *args);
int bench_admission(const struct bench_args *args);
int bench_recover(const struct bench_args *args);
int bench_usage(const struct bench_args *args);

#endif
