/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/pod_problem.h"

#include "rules/conditions.h"

/* Bytes of the control character at p, 0 when there is none: a terminal would obey it. */
static size_t control_at(const char *p, size_t n)
{
	unsigned char c = (unsigned char)p[0];

	if (c < ' ' || c == 0x7f)
		return 1;
	/* U+0080 to U+009F */
	return c == 0xc2 && n > 1 && (unsigned char)p[1] >= 0x80 && (unsigned char)p[1] < 0xa0 ? 2
											       : 0;
}

void pod_problem_words(struct buf *b, struct str text, size_t max)
{
	size_t n = text.n < max ? text.n : max;

	while (n < text.n && n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++) {
		size_t skip = control_at(text.p + i, n - i);

		buf_putc(b, skip ? ' ' : text.p[i]);
		i += skip > 1;
	}
	if (n < text.n)
		buf_puts(b, "…");
}

/* ": REASON: MESSAGE", as far as they are there. */
static void add_reason(struct buf *b, const val *from, size_t max)
{
	static const char *const fields[] = {"reason", "message"};

	for (size_t i = 0; i < 2; i++) {
		struct str s = val_str(val_get(from, fields[i]));

		if (s.n == 0)
			continue;
		buf_puts(b, ": ");
		pod_problem_words(b, s, max);
	}
}

static bool is_false(const val *condition)
{
	return condition_status(condition) == COND_FALSE;
}

/* A container that waits only because it is its turn to be made. */
static bool is_starting(const val *waiting)
{
	const val *reason = val_get(waiting, "reason");

	return !val_str(reason).n || val_is(reason, "ContainerCreating") ||
	       val_is(reason, "PodInitializing");
}

static void add_ended(struct buf *b, const val *ended, size_t max)
{
	buf_printf(b, " ended with exit code %lld",
		   (long long)val_int_or(val_get(ended, "exitCode"), 0));
	add_reason(b, ended, max);
}

/* One container that is not well. Why it ended last says more than "CrashLoopBackOff". */
static void add_container(struct buf *b, const val *status, size_t max)
{
	const val *waiting = val_path(status, "state", "waiting", NULL);
	const val *ended = val_path(status, "state", "terminated", NULL);
	const val *last = val_path(status, "lastState", "terminated", NULL);

	buf_puts(b, "container ");
	pod_problem_words(b, val_str(val_get(status, "name")), 63);
	if (ended) {
		add_ended(b, ended, max);
		return;
	}
	if (!waiting) {
		buf_puts(b, val_path(status, "state", "running", NULL) ? " runs but is not ready"
								       : " is not ready");
		return;
	}
	if (is_starting(waiting)) {
		buf_puts(b, " is being started");
		return;
	}
	add_reason(b, waiting, max);
	/* with other reasons the last end is that of another image or of good order */
	if (last && val_is(val_get(waiting, "reason"), "CrashLoopBackOff")) {
		buf_puts(b, "; it");
		add_ended(b, last, max);
	}
}

static bool init_is_well(const val *status)
{
	const val *ended = val_path(status, "state", "terminated", NULL);

	return val_bool(val_get(status, "ready")) ||
	       (ended && val_int_or(val_get(ended, "exitCode"), 1) == 0);
}

static bool is_well(const val *status)
{
	return val_bool(val_get(status, "ready"));
}

/* The worst of the containers that are not well: what waits for a reason, else the first. */
static const val *worst(const val *statuses, bool (*well)(const val *))
{
	const val *first = NULL;

	for (size_t i = 0; val_is_array(statuses) && i < val_len(statuses); i++) {
		const val *status = val_at(statuses, i);
		const val *waiting = val_path(status, "state", "waiting", NULL);

		if (well(status))
			continue;
		if (waiting && !is_starting(waiting))
			return status;
		if (!first)
			first = status;
	}
	return first;
}

void pod_problem(struct buf *b, const val *pod, size_t max)
{
	const val *status = val_get(pod, "status");
	const val *scheduled = condition_of(pod, "PodScheduled");
	const val *ready = condition_of(pod, "Ready");
	const val *init = worst(val_get(status, "initContainerStatuses"), init_is_well);
	const val *main = worst(val_get(status, "containerStatuses"), is_well);

	if (!status)
		return;
	if (is_false(scheduled)) {
		buf_puts(b, "not scheduled");
		add_reason(b, scheduled, max);
	} else if (init) {
		buf_puts(b, "init ");
		add_container(b, init, max);
	} else if (main) {
		add_container(b, main, max);
	} else if (ready && condition_status(ready) != COND_TRUE) {
		struct str message = val_str(val_get(ready, "message"));

		pod_problem_words(b, message.n ? message : val_str(val_get(ready, "reason")), max);
	} else if (!val_get(status, "containerStatuses")) {
		buf_puts(b, "kubelet has not started it yet");
	}
}
