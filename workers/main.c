/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/cloneset/cloneset.h"
#include "workers/containerlaunchpriority/containerlaunchpriority.h"
#include "workers/elector/elector.h"
#include "workers/podreadiness/podreadiness.h"
#include "workers/webhookconfig/main.h"

#include <stdio.h>
#include <string.h>

/* A new controller is one line here. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} workers[] = {
    {"cloneset", cloneset_main},
    {"containerlaunchpriority", containerlaunchpriority_main},
    {"elector", elector_main},
    {"podreadiness", podreadiness_main},
    {"webhookconfig", webhookconfig_main},
};

#define N_WORKERS (sizeof(workers) / sizeof(workers[0]))

static int usage(FILE *f)
{
	fputs("usage: kruise-worker NAME [flags of kruised]\n\nworkers:", f);
	for (size_t i = 0; i < N_WORKERS; i++)
		fprintf(f, " %s", workers[i].name);
	fputc('\n', f);
	return f == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr);
	if (strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	for (size_t i = 0; i < N_WORKERS; i++) {
		/* the worker's name takes the place of the program's: the rest are flags */
		if (strcmp(argv[1], workers[i].name) == 0)
			return workers[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "kruise-worker: no worker is named %s\n", argv[1]);
	return usage(stderr);
}
