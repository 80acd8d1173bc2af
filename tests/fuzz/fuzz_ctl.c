/* SPDX-License-Identifier: Apache-2.0 */

/* Both sides of kruisectl's protocol: a request, and a line of an answer. */
#include "ipc/ctl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void request(const char *p, size_t n)
{
	struct ctl_request q;
	struct err e;
	if (ctl_request_parse(p, n, &q, &e) < 0)
		return;
	for (size_t i = 0; i < q.n_args; i++)
		if (q.args[i].n == 0 || q.args[i].p < p || q.args[i].p + q.args[i].n > p + n)
			abort();
}

/* What a row says must survive being printed and read again. */
static void row(struct str text)
{
	struct ctl_row a, b;
	if (ctl_row_parse(text, &a) < 0)
		return;
	_cleanup_buf_ struct buf out = {0};
	ctl_row_print(&out, &a);
	if (a.name.n > 64 || a.state.n > 64)
		return;
	if (ctl_row_parse((struct str){out.p, out.len}, &b) < 0 || a.pid != b.pid ||
	    a.uptime_usec != b.uptime_usec || a.restarts != b.restarts ||
	    a.beat_age_usec != b.beat_age_usec || a.ready != b.ready)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	enum ctl_line_kind kind;
	struct str text, key, value;
	request(p, size);
	if (ctl_line_parse(p, size, &kind, &text) == 0 && kind == CTL_LINE_BODY) {
		row(text);
		ctl_fact_parse(text, &key, &value);
	}
	row((struct str){p, size});
	return 0;
}
