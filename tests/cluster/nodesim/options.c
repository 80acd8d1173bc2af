/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/options.h"

#include "kube/time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, COUNT, DURATION, FLAG, SILENT };

struct flag {
	const char *name;
	enum kind kind;
	void *to;
	const char *help;
};

static int parse_count(const char *value, uint32_t *out)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(value, &end, 10);
	if (errno || end == value || *end || n < 1 || n > 100000)
		return -EINVAL;
	*out = (uint32_t)n;
	return 0;
}

static int parse_duration(const char *value, uint64_t *out)
{
	int64_t usec;
	if (!k8s_duration_parse(str_of(value), &usec) || usec < 0)
		return -EINVAL;
	*out = (uint64_t)usec;
	return 0;
}

static int store(struct sim_options *o, const struct flag *f, const char *value)
{
	switch (f->kind) {
	case TEXT:
		*(const char **)f->to = value;
		return 0;
	case COUNT:
		return parse_count(value, f->to);
	case DURATION:
		return parse_duration(value, f->to);
	case SILENT:
		if (o->silent_count == SIM_MAX_SILENT)
			return -EINVAL;
		o->silent[o->silent_count++] = value;
		return 0;
	case FLAG:
		if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
			return -EINVAL;
		*(bool *)f->to = *value == 't';
		return 0;
	}
	return -EINVAL;
}

static void help(const struct flag *flags, size_t n)
{
	puts("nodesim: plays kubelets against a real API server\n");
	for (size_t i = 0; i < n; i++)
		printf("  --%-16s %s\n", flags[i].name, flags[i].help);
	exit(0);
}

static const struct flag *find(const struct flag *flags, size_t n, const char *arg, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(flags[i].name) == len && memcmp(flags[i].name, arg, len) == 0)
			return &flags[i];
	return NULL;
}

int sim_options_parse(struct sim_options *o, int argc, char **argv, struct err *e)
{
	*o = (struct sim_options){
	    .prefix = "sim-",
	    .nodes = 10,
	    .pods_per_node = 1000,
	    .times = {.start = 300000, .init = 100000, .restart = 200000, .kill = 100000},
	    .heartbeat_usec = 10000000,
	    .max_in_flight = 128,
	    .verbosity = "info"};
	uint32_t in_flight = 128;
	const struct flag flags[] = {
	    {"kubeconfig", TEXT, &o->kubeconfig, "file; default as for kubectl"},
	    {"nodes", COUNT, &o->nodes, "number of nodes (10)"},
	    {"prefix", TEXT, &o->prefix, "of their names (sim-)"},
	    {"pods-per-node", COUNT, &o->pods_per_node, "capacity (1000)"},
	    {"start-delay", DURATION, &o->times.start, "pod bound to container started (300ms)"},
	    {"init-delay", DURATION, &o->times.init, "run time of an init container (100ms)"},
	    {"ready-delay", DURATION, &o->times.ready, "container started to ready (0s)"},
	    {"restart-delay", DURATION, &o->times.restart, "stopped to started again (200ms)"},
	    {"kill-delay", DURATION, &o->times.kill, "at most, until a deleted pod goes (100ms)"},
	    {"heartbeat", DURATION, &o->heartbeat_usec, "period of the nodes' Leases (10s)"},
	    {"ready-file", TEXT, &o->ready_file, "written once the nodes are registered"},
	    {"silent-node", SILENT, NULL, "a node without heartbeats and pod updates; repeatable"},
	    {"bind", FLAG, &o->bind, "bind pods to nodes too, as a scheduler does"},
	    {"max-in-flight", COUNT, &in_flight, "concurrent requests (128)"},
	    {"v", TEXT, &o->verbosity, "log level: error, warn, info, debug, trace"},
	};
	const size_t n = sizeof(flags) / sizeof(flags[0]);

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		if (strcmp(arg, "--help") == 0)
			help(flags, n);
		if (strncmp(arg, "--", 2) != 0)
			return err_set(e, EINVAL, "unexpected argument %s", arg);
		const char *eq = strchr(arg, '=');
		const size_t len = eq ? (size_t)(eq - arg) - 2 : strlen(arg) - 2;
		const struct flag *f = find(flags, n, arg + 2, len);
		if (!f)
			return err_set(e, EINVAL, "unknown flag %s", arg);
		const char *value = eq ? eq + 1 : NULL;
		if (!value)
			value = f->kind == FLAG ? "true" : i + 1 < argc ? argv[++i] : NULL;
		if (!value || store(o, f, value) < 0)
			return err_set(e, EINVAL, "bad value for --%s: %s", f->name,
				       value ? value : "none");
	}
	o->max_in_flight = (int)in_flight;
	return o->heartbeat_usec ? 0 : err_set(e, EINVAL, "--heartbeat must be positive");
}
