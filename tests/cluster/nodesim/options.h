/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_OPTIONS_H
#define NODESIM_OPTIONS_H

#include "ipc/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long the simulated kubelets take; all in microseconds. */
struct sim_times {
	uint64_t start;	  /* pod seen as bound → its first container starts */
	uint64_t init;	  /* each init container runs */
	uint64_t ready;	  /* container started → ready */
	uint64_t restart; /* container stopped → its successor starts */
	uint64_t kill;	  /* deletion seen → gone, if the grace period is not shorter */
};

#define SIM_MAX_SILENT 64

struct sim_options {
	const char *kubeconfig; /* NULL: as kubectl finds it */
	const char *prefix;	/* of node names: PREFIX0, PREFIX1, … */
	const char *ready_file; /* NULL: none */
	uint32_t nodes;
	uint32_t pods_per_node;
	struct sim_times times;
	uint64_t heartbeat_usec;
	bool bind;			    /* play the scheduler too */
	const char *silent[SIM_MAX_SILENT]; /* nodes that are silent from the start */
	size_t silent_count;
	int max_in_flight;
	const char *verbosity;
};

/* Fills defaults, then argv[1…]; strings point into argv. --help prints the flags and exits 0. On
 * failure -EINVAL, and the error names the flag. */
int sim_options_parse(struct sim_options *o, int argc, char **argv, struct err *e);

#endif
