/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_PROCS_H
#define BENCH_PROCS_H

#include <sys/types.h>

/*
 * A process and its descendants. `word` selects those whose command line contains it; "" is all.
 * CPU: user and system seconds, those of reaped children included. PSS: MiB, memory that is shared
 * with others counted in part.
 */
double tree_cpu(pid_t root, const char *word);
double tree_pss(pid_t root);
/* The first descendant whose command line contains both words; 0: none. */
pid_t tree_find(pid_t root, const char *word, const char *word2);

#endif
