/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/procs.h"

#include "ipc/base/buf.h"
#include "tests/bench/bench.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TREE 256

struct tree {
	pid_t pid[MAX_TREE];
	size_t n;
};

struct stat_line {
	pid_t parent;
	unsigned long long ticks;
};

static bool read_stat(pid_t pid, struct stat_line *s)
{
	char path[64], line[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	const bool ok = fgets(line, sizeof(line), f);
	fclose(f);
	const char *rest = ok ? strrchr(line, ')') : NULL; /* the name may contain anything */
	unsigned long long t[4];
	int parent;
	if (!rest ||
	    sscanf(rest + 1, " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu %llu %llu",
		   &parent, &t[0], &t[1], &t[2], &t[3]) != 5)
		return false;
	s->parent = parent;
	s->ticks = t[0] + t[1] + t[2] + t[3];
	return true;
}

static bool in_tree(const struct tree *t, pid_t pid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->pid[i] == pid)
			return true;
	return false;
}

/* Adds processes whose parent is in the tree; true when there was one. */
static bool add_children(struct tree *t)
{
	DIR *d = opendir("/proc");
	const size_t had = t->n;
	for (struct dirent *e; d && (e = readdir(d));) {
		const pid_t pid = atoi(e->d_name);
		struct stat_line s;
		if (pid > 0 && t->n < MAX_TREE && !in_tree(t, pid) && read_stat(pid, &s) &&
		    in_tree(t, s.parent))
			t->pid[t->n++] = pid;
	}
	if (d)
		closedir(d);
	return t->n > had;
}

static void read_tree(struct tree *t, pid_t root)
{
	t->pid[0] = root;
	t->n = 1;
	while (add_children(t))
		;
}

/* The command line with blanks between its words. */
static void command_line(pid_t pid, char *out, size_t n)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	FILE *f = fopen(path, "re");
	const size_t got = f ? fread(out, 1, n - 1, f) : 0;
	if (f)
		fclose(f);
	for (size_t i = 0; i < got; i++)
		if (!out[i])
			out[i] = ' ';
	out[got] = '\0';
}

double tree_cpu(pid_t root, const char *word)
{
	struct tree t;
	unsigned long long ticks = 0;
	read_tree(&t, root);
	for (size_t i = 0; i < t.n; i++) {
		char command[4096];
		struct stat_line s;
		command_line(t.pid[i], command, sizeof(command));
		if (strstr(command, word) && read_stat(t.pid[i], &s))
			ticks += s.ticks;
	}
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double pss_of(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss: %ld kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return (double)kib / 1024;
}

double tree_pss(pid_t root)
{
	struct tree t;
	double sum = 0;
	read_tree(&t, root);
	for (size_t i = 0; i < t.n; i++)
		sum += pss_of(t.pid[i]);
	return sum;
}

pid_t tree_find(pid_t root, const char *word, const char *word2)
{
	struct tree t;
	read_tree(&t, root);
	for (size_t i = 1; i < t.n; i++) {
		char command[4096];
		command_line(t.pid[i], command, sizeof(command));
		if (strstr(command, word) && strstr(command, word2))
			return t.pid[i];
	}
	return 0;
}

int bench_usage(const struct bench_args *args)
{
	printf("cpu_s=%.3f pss_mb=%.1f\n", tree_cpu((pid_t)args->pid, args->process),
	       tree_pss((pid_t)args->pid));
	return 0;
}
