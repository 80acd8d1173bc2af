/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/bench/bench.h"
#include "tests/bench/procs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/*
 * Kills the worker and reads on in the tree's log until its successor says that its first sync is
 * done. The time is taken when the line is seen, with inotify as the alarm clock.
 */
static bool said(int log, struct buf *text, const char *pattern, const char *process)
{
	char chunk[16384];
	ssize_t n;
	while ((n = read(log, chunk, sizeof(chunk))) > 0)
		buf_add(text, chunk, (size_t)n);
	for (const char *line = buf_str(text); line;) {
		const char *end = strchr(line, '\n');
		const size_t len = end ? (size_t)(end - line) : strlen(line);
		if (memmem(line, len, pattern, strlen(pattern)) &&
		    memmem(line, len, process, strlen(process)))
			return true;
		line = end ? end + 1 : NULL;
	}
	return false;
}

int bench_recover(const struct bench_args *args)
{
	_cleanup_buf_ struct buf text = {0};
	const char *process = *args->process ? args->process : "cloneset";
	const int log = args->log ? open(args->log, O_RDONLY | O_CLOEXEC) : -1;
	const int alarm_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (log < 0 || alarm_fd < 0 || inotify_add_watch(alarm_fd, args->log, IN_MODIFY) < 0)
		fatal("--log %s: %m", args->log ? args->log : "");
	lseek(log, 0, SEEK_END);
	const pid_t worker = tree_find((pid_t)args->pid, "kruise-worker", process);
	if (!worker)
		fatal("process %lld has no child kruise-worker %s", (long long)args->pid, process);

	const double began = bench_now();
	if (kill(worker, SIGKILL) < 0)
		fatal("cannot kill %d: %m", (int)worker);
	while (!said(log, &text, args->pattern, process)) {
		struct pollfd p = {.fd = alarm_fd, .events = POLLIN};
		char events[4096];
		poll(&p, 1, 100);
		while (read(alarm_fd, events, sizeof(events)) > 0)
			;
		if (bench_now() > began + (double)args->timeout_sec)
			fatal("no \"%s\" from %s after %lld s", args->pattern, process,
			      (long long)args->timeout_sec);
	}
	printf("worker_recovery_ms=%.1f\n", (bench_now() - began) * 1000);
	close(log);
	close(alarm_fd);
	return 0;
}
