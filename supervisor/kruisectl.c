/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/kruisectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: kruisectl [--runtime-dir DIR] COMMAND\n"
    "\n"
    "  status                     kruised and its children: state, readiness, restarts, memory\n"
    "  restart NAME               stop one child in good order and start it again\n"
    "  reload                     replace kruised and all children by what is installed now\n"
    "  log-level NAME|all LEVEL   error, warn, info, debug, trace, or 0 to 5; NAME may be kruised\n"
    "  stop                       stop kruised in good order\n"
    "  explain clone [NAMESPACE/]NAME [--all] [-o json]\n"
    "                             what a CloneSet does next, pod by pod, and what holds it\n"
    "\n"
    "  --runtime-dir DIR   kruised's run directory; default $RUNTIME_DIRECTORY, else /run/kruised\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static int usage_error(const char *what)
{
	fprintf(stderr, "kruisectl: %s\n%s", what, help);
	return EXIT_USAGE;
}

/* Bytes in use on tmpfs; 0 when there is no store yet. */
static double store_mib(const char *dir)
{
	_cleanup_free_ char *path = xasprintf("%s/store/data.mdb", dir);
	struct stat st;
	return stat(path, &st) == 0 ? (double)st.st_blocks * 512 / (1 << 20) : 0;
}

/* A "KEY:  N kB" line of a /proc file; -1 when it cannot be read. */
static long proc_kb(long long pid, const char *file, const char *key)
{
	char path[64], line[256];
	snprintf(path, sizeof(path), "/proc/%lld/%s", pid, file);
	FILE *f = fopen(path, "re");
	if (!f)
		return -1;
	long kb = -1;
	while (kb < 0 && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			kb = atol(line + strlen(key));
	fclose(f);
	return kb;
}

void format_usec(uint64_t usec, char *out, size_t size)
{
	uint64_t sec = usec / 1000000;
	if (usec == UINT64_MAX)
		snprintf(out, size, "-");
	else if (sec < 10)
		snprintf(out, size, "%.1fs", (double)usec / 1e6);
	else if (sec < 120)
		snprintf(out, size, "%llus", (unsigned long long)sec);
	else if (sec < 7200)
		snprintf(out, size, "%llum%llus", (unsigned long long)sec / 60,
			 (unsigned long long)sec % 60);
	else if (sec < 172800)
		snprintf(out, size, "%lluh%llum", (unsigned long long)sec / 3600,
			 (unsigned long long)sec / 60 % 60);
	else
		snprintf(out, size, "%llud%lluh", (unsigned long long)sec / 86400,
			 (unsigned long long)sec / 3600 % 24);
}

static void format_mib(long kb, char *out, size_t size)
{
	if (kb < 0)
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%.1f", (double)kb / 1024);
}

static void print_row(const struct ctl_row *r)
{
	char pid[24] = "-", up[32], beat[32], rss[32] = "-", pss[32] = "-";
	format_usec(r->uptime_usec, up, sizeof(up));
	format_usec(r->beat_age_usec, beat, sizeof(beat));
	if (r->pid > 0) {
		snprintf(pid, sizeof(pid), "%lld", (long long)r->pid);
		/* read here, not by the supervisor: the kernel walks the whole process for it */
		format_mib(proc_kb(r->pid, "smaps_rollup", "Rss:"), rss, sizeof(rss));
		format_mib(proc_kb(r->pid, "smaps_rollup", "Pss:"), pss, sizeof(pss));
	}
	printf("%-23.*s %7s  %-9.*s %-5s %9s %8llu %6s %8s %8s  %.*s\n", STR_ARG(r->name), pid,
	       STR_ARG(r->state), r->ready ? "yes" : "no", up, (unsigned long long)r->restarts,
	       beat, rss, pss, STR_ARG(r->note));
}

static void print_fact(struct str key, struct str value)
{
	char text[64], copy[32];
	if (str_is(key, "sandbox of")) {
		printf("sandbox of %.*s\n", STR_ARG(value));
		return;
	}
	if (!str_is(key, "uptime")) {
		printf("%.*s: %.*s\n", STR_ARG(key), STR_ARG(value));
		return;
	}
	snprintf(copy, sizeof(copy), "%.*s", STR_ARG(value));
	format_usec(strtoull(copy, NULL, 10), text, sizeof(text));
	printf("uptime: %s\n", text);
}

/* Where the printing of a status stands. */
struct table {
	const char *dir;
	bool head_done;
};

static void print_body(struct table *t, struct str text)
{
	struct str key, value;
	struct ctl_row row;
	if (ctl_fact_parse(text, &key, &value)) {
		print_fact(key, value);
		return;
	}
	if (ctl_row_parse(text, &row) < 0) {
		printf("%.*s\n", STR_ARG(text));
		fflush(stdout);
		return;
	}
	if (!t->head_done) {
		printf("store: %.1f MiB\n\n", store_mib(t->dir));
		printf("%-23s %7s  %-9s %-5s %9s %8s %6s %8s %8s  %s\n", "NAME", "PID", "STATE",
		       "READY", "UPTIME", "RESTARTS", "BEAT", "RSS(MiB)", "PSS(MiB)", "NOTE");
		t->head_done = true;
	}
	print_row(&row);
}

static void on_body(struct str text, void *userdata)
{
	print_body(userdata, text);
}

static int run(const char *dir, int n, char **words)
{
	struct err e = {0};
	struct table t = {.dir = dir};
	if (strcmp(words[0], "explain") == 0)
		return explain_main(dir, n - 1, words + 1);
	int rc = ctl_ask(dir, (size_t)n, words, on_body, &t, &e);
	return rc < 0 ? usage_error(e.msg) : rc;
}

int main(int argc, char **argv)
{
	const char *env = getenv("RUNTIME_DIRECTORY");
	const char *dir = env && *env ? env : "/run/kruised";
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(help, stdout);
			return EXIT_OK;
		}
		if (strncmp(argv[i], "--runtime-dir=", 14) == 0)
			dir = argv[i] + 14;
		else if (strcmp(argv[i], "--runtime-dir") == 0 && i + 1 < argc)
			dir = argv[++i];
		else
			return usage_error("unknown flag, or a flag without its value");
	}
	if (i == argc)
		return usage_error("no command");
	return run(dir, argc - i, argv + i);
}
