/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_OPTIONS_H
#define IPC_OPTIONS_H

#include "ipc/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The command-line flags, one table for all processes: the supervisor checks them and hands them to
 * its children unchanged, each reads what it needs. Names, defaults and meaning are OpenKruise's;
 * flags added here say so in the table. `--flag=value`, `--flag value`, and `--flag` for booleans.
 * Go-only flags are accepted with a warning; others that are unknown are errors naming the flag.
 */
struct options {
	const char *kubeconfig; /* NULL: $KUBECONFIG, then in-cluster */
	const char *metrics_addr;
	const char *health_probe_addr;
	bool leader_elect;
	const char *leader_election_namespace;
	const char *leader_election_id;
	const char *leader_election_resource_lock; /* "leases" */
	uint64_t lease_duration_usec, renew_deadline_usec, retry_period_usec;
	const char *namespace_; /* NULL: all */
	uint64_t sync_period_usec;
	double rest_qps; /* 0: limited by the API server's answers only */
	int64_t rest_burst;
	const char *feature_gates;
	int64_t cloneset_workers;
	uint64_t expectation_timeout_usec, cache_sync_timeout_usec, webhook_init_timeout_usec;
	uint64_t rate_base_usec, rate_max_usec;
	double rate_qps;
	int64_t rate_bucket;
	bool cloneset_exclude_preparing_delete;
	bool allow_privileged;
	const char *verbosity;	    /* --v */
	const char *logging_format; /* text or json */
	/* ours */
	const char *runtime_dir; /* --runtime-dir; default $RUNTIME_DIRECTORY, else /run/kruised */
	const char *libexec_dir; /* --libexec-dir: where the children's binaries are; default the
				    supervisor's folder */
	const char *user;	 /* --user: children run as; empty = as the supervisor */
	const char *sandbox;	 /* --sandbox: auto or off */
	const char *sandbox_writable; /* --sandbox-writable: folders, separated by commas */
	bool core_dumps;
};

/* Fills defaults, then argv[1…]. Strings point into argv or are literals. On failure the error
 * names the flag. warnings go to the log. --help and --version print and exit 0. */
int options_parse(struct options *o, int argc, char **argv, struct err *e);

/* A duration as Go writes it ("1h30m", "500ms", "0"). -EINVAL: negative, malformed, over 100 years.
 */
int options_duration(const char *s, uint64_t *usec);

#endif
