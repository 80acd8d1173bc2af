/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#ifndef KRUISED_VERSION
#define KRUISED_VERSION "0.0.0"
#endif

/* What the unit waits for: admission works, or will not for a reason that it should not hide. */
static bool unit_ready(const struct supervisor *s)
{
	if (now_usec() - s->begun_usec > s->options.webhook_init_timeout_usec)
		return true;
	for (size_t i = 0; i < s->n_services; i++) {
		const struct service *v = &s->services[i];
		if ((v->def->flags & (SERVICE_ADMISSION | SERVICE_CONFIG)) && !v->ready)
			return false;
	}
	return true;
}

static const char *leadership_text(const struct supervisor *s)
{
	if (!s->leadership.election)
		return "yes (no election)";
	return leadership_certain(&s->leadership, now_usec()) ? "yes" : "no";
}

/* "5 of 7 children ready; leader: yes; not ready: cloneset" */
static void describe(const struct supervisor *s, char *out, size_t size)
{
	_cleanup_buf_ struct buf missing = {0};
	size_t ready = 0, wanted = 0;
	struct conditions c = monitor_conditions(s);
	for (size_t i = 0; i < s->n_services; i++) {
		const struct service *v = &s->services[i];
		if (!service_may_run(v->def, &c))
			continue;
		wanted++;
		ready += v->ready;
		if (!v->ready)
			buf_printf(&missing, "%s %s",
				   missing.len ? "," : "; not ready:", v->def->name);
	}
	snprintf(out, size, "%zu of %zu children ready; leader: %s%s", ready, wanted,
		 leadership_text(s), buf_str(&missing));
}

void status_notify(struct supervisor *s)
{
	if (s->stopping)
		return;
	if (!s->notified_ready && unit_ready(s)) {
		s->notified_ready = true;
		sd_notify(0, "READY=1");
		log_info("start-up is over: admission is %s",
			 now_usec() - s->begun_usec > s->options.webhook_init_timeout_usec
			     ? "not ready in time"
			     : "ready");
	}
	char text[sizeof(s->notified_status)];
	describe(s, text, sizeof(text));
	if (strcmp(text, s->notified_status) == 0)
		return;
	memcpy(s->notified_status, text, sizeof(text));
	sd_notifyf(0, "STATUS=%s", text);
}

static void fact(struct buf *out, const char *key, const char *value)
{
	_cleanup_buf_ struct buf line = {0};
	ctl_fact_print(&line, key, value);
	ctl_line_print(out, CTL_LINE_BODY, buf_str(&line));
}

static void row(struct buf *out, const struct service *v, uint64_t now)
{
	_cleanup_buf_ struct buf line = {0};
	bool alive = service_alive(v);
	const struct ctl_row r = {
	    .name = str_of(v->def->name),
	    .pid = v->pid,
	    .state = str_of(service_state_name(v)),
	    .ready = v->ready,
	    .uptime_usec = alive ? now - v->started_usec : UINT64_MAX,
	    .restarts = v->starts ? v->starts - 1 : 0,
	    .beat_age_usec = alive && v->beat_usec ? now - v->beat_usec : UINT64_MAX,
	    .note = str_of(v->note),
	};
	ctl_row_print(&line, &r);
	ctl_line_print(out, CTL_LINE_BODY, buf_str(&line));
}

static bool same_sandbox(const struct service *a, const struct service *b)
{
	return memcmp(a->sandbox, b->sandbox, sizeof(*a->sandbox)) == 0;
}

/* One line for those that have the same; mostly that is one for all. */
static void print_sandboxes(const struct supervisor *s, struct buf *lines)
{
	for (size_t i = 0; i < s->n_services; i++) {
		const struct service *v = &s->services[i];
		bool first = service_alive(v);
		for (size_t k = 0; k < i && first; k++)
			first =
			    !service_alive(&s->services[k]) || !same_sandbox(v, &s->services[k]);
		if (!first)
			continue;
		_cleanup_buf_ struct buf text = {0};
		_cleanup_buf_ struct buf what = {0};
		for (size_t k = i; k < s->n_services; k++)
			if (service_alive(&s->services[k]) && same_sandbox(v, &s->services[k]))
				buf_printf(&text, "%s%s", text.len ? ", " : "",
					   s->services[k].def->name);
		sandbox_describe(v->sandbox, &what);
		buf_printf(&text, ": %s", buf_str(&what));
		fact(lines, "sandbox of", buf_str(&text));
	}
}

void status_print(const struct supervisor *s, struct buf *lines)
{
	uint64_t now = now_usec();
	char text[64];
	fact(lines, "version", KRUISED_VERSION);
	snprintf(text, sizeof(text), "%d", (int)getpid());
	fact(lines, "pid", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)(now - s->begun_usec));
	fact(lines, "uptime", text);
	fact(lines, "leader", leadership_text(s));
	fact(lines, "reload", s->reload ? "under way" : "no");
	print_sandboxes(s, lines);
	for (size_t i = 0; i < s->n_services; i++)
		row(lines, &s->services[i], now);
}
