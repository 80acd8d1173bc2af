/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/faults.h"

#include "kube/time.h"

#include <string.h>

#define PREFIX "sim.kruised.io/"

static bool duration(const val *v, uint64_t *out)
{
	int64_t usec;
	if (!val_is_str(v) || !k8s_duration_parse(val_str(v), &usec) || usec < 0)
		return false;
	*out = (uint64_t)usec;
	return true;
}

/* An exit status, 0 to 255. */
static bool exit_code(struct str s, int *out)
{
	int n = 0;
	if (s.n < 1 || s.n > 3)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (s.p[i] - '0');
	}
	*out = n;
	return n <= 255;
}

struct sim_faults sim_faults_of(const val *pod)
{
	const val *a = val_path(pod, "metadata", "annotations", NULL);
	struct sim_faults f = {0};
	if (!a)
		return f;
	f.never_ready = val_is(val_get(a, PREFIX "never-ready"), "true");
	f.crash = val_str(val_get(a, PREFIX "crash"));
	f.pull_error = val_str(val_get(a, PREFIX "pull-error"));
	f.exits = exit_code(val_str(val_get(a, PREFIX "exit")), &f.exit_code);
	f.has_exit_after = duration(val_get(a, PREFIX "exit-after"), &f.exit_after_usec);
	f.has_start_delay = duration(val_get(a, PREFIX "start-delay"), &f.start_delay_usec);
	return f;
}

static bool contains(struct str s, struct str part)
{
	return s.p && part.p && part.n && memmem(s.p, s.n, part.p, part.n);
}

bool sim_pullable(const struct sim_faults *f, struct str image)
{
	return !contains(image, f->pull_error) && !contains(image, str_of("broken")) &&
	       !contains(image, str_of("nopull"));
}

bool sim_node_silent(const val *node)
{
	return val_is(val_path(node, "metadata", "annotations", PREFIX "silent", NULL), "true");
}
