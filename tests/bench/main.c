/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/bench/bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(const struct bench_args *args);
	const char *help;
};

static const struct command commands[] = {
    {"floor", bench_floor, "the writes of a CloneSet's life made by a bare client"},
    {"cloneset", bench_cloneset_run, "a CloneSet created, and updated in place"},
    {"admission", bench_admission, "AdmissionReviews of CloneSets, sent over TLS"},
    {"recover", bench_recover, "kills a worker and waits for its successor's first sync"},
    {"usage", bench_usage, "CPU seconds and memory of a process tree"},
};

enum kind { TEXT, NUMBER, FLAG };

struct flag {
	struct option option;
	enum kind kind;
	void *to;
};

static int parse(const struct flag *flags, size_t n, int argc, char **argv)
{
	struct option options[32] = {0};
	for (size_t i = 0; i < n; i++)
		options[i] = flags[i].option;
	for (int i = -1; getopt_long(argc, argv, "", options, &i) != -1; i = -1) {
		if (i < 0) /* unknown, or without its value; already said */
			return -EINVAL;
		const struct flag *f = &flags[i];
		if (f->kind == FLAG) {
			*(bool *)f->to = true;
			continue;
		}
		if (f->kind == TEXT) {
			*(const char **)f->to = optarg;
			continue;
		}
		char *end;
		const long v = strtol(optarg, &end, 10);
		if (end == optarg || *end || v < 0 || v > 100000000)
			return -EINVAL;
		*(int64_t *)f->to = v;
	}
	return optind == argc ? 0 : -EINVAL;
}

static int usage(void)
{
	fputs("usage: kruise-bench COMMAND [--flag VALUE]…\n", stderr);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(stderr, "  %-10s %s\n", commands[i].name, commands[i].help);
	return 2;
}

int main(int argc, char **argv)
{
	struct bench_args a = {.namespace_ = "default",
			       .name = "bench",
			       .replicas = 500,
			       .concurrency = 100,
			       .max_unavailable_pct = 50,
			       .timeout_sec = 120,
			       .seconds = 5,
			       .connections = 16,
			       .process = "",
			       .pattern = "first sync finished"};
	const struct flag flags[] = {
	    {{"kubeconfig", 1, NULL, 0}, TEXT, &a.kubeconfig},
	    {{"namespace", 1, NULL, 0}, TEXT, &a.namespace_},
	    {{"name", 1, NULL, 0}, TEXT, &a.name},
	    {{"replicas", 1, NULL, 0}, NUMBER, &a.replicas},
	    {{"concurrency", 1, NULL, 0}, NUMBER, &a.concurrency},
	    {{"max-unavailable", 1, NULL, 0}, NUMBER, &a.max_unavailable_pct},
	    {{"timeout", 1, NULL, 0}, NUMBER, &a.timeout_sec},
	    {{"pid", 1, NULL, 0}, NUMBER, &a.pid},
	    {{"apiserver-pid", 1, NULL, 0}, NUMBER, &a.apiserver_pid},
	    {{"nodesim-pid", 1, NULL, 0}, NUMBER, &a.nodesim_pid},
	    {{"process", 1, NULL, 0}, TEXT, &a.process},
	    {{"url", 1, NULL, 0}, TEXT, &a.url},
	    {{"ca", 1, NULL, 0}, TEXT, &a.ca},
	    {{"log", 1, NULL, 0}, TEXT, &a.log},
	    {{"pattern", 1, NULL, 0}, TEXT, &a.pattern},
	    {{"seconds", 1, NULL, 0}, NUMBER, &a.seconds},
	    {{"connections", 1, NULL, 0}, NUMBER, &a.connections},
	    {{"keep", 0, NULL, 0}, FLAG, &a.keep},
	};
	log_init("kruise-bench", LOG_LVL_INFO, false);
	if (argc < 2)
		return usage();
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		if (parse(flags, sizeof(flags) / sizeof(flags[0]), argc - 1, argv + 1) < 0)
			return usage();
		return commands[i].run(&a);
	}
	return usage();
}
