/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/json.h"
#include "rules/launchpriority.h"
#include "tests/chaos/chaos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/*
 * Creates CloneSets (of both versions) and pods through the API server at a steady rate, and counts
 * what is not accepted, or not within 10 s. The webhook of pods has failurePolicy Ignore: a pod
 * that comes back without its launch barrier has not been admitted either. A connection of its own.
 * What was created is deleted at once.
 *
 * A request inside a webhookd at its death is lost with its connection, and the API server does not
 * repeat it: docs/operations.md. Such a one must have been under way at a crash of a webhookd, and
 * say that the connection ended; it is counted apart. The log that tells of crashes may come later
 * than the answer, so failures are judged a moment later.
 */
#define TIMEOUT_USEC 10000000u
#define JUDGE_USEC 2000000u
/* between the line in the log and what it tells of */
#define SLACK_USEC 20000u

struct failure {
	TAILQ_ENTRY(failure) link;
	uint64_t sent_usec, failed_usec;
	bool connection_ended;
	char text[400];
};

struct steady {
	struct k8s_client *k8s;
	int64_t sent, answered, admissions, failed, lost;
	TAILQ_HEAD(failure_list, failure) failures;
	uint64_t owed_usec; /* when the next pair is due */
	bool stopped;
};

struct creation {
	struct chaos *c;
	const struct k8s_resource *resource;
	char name[32];
	uint64_t began_usec;
};

static void add_failure(struct chaos *c, const char *what, uint64_t sent_usec, int code,
			const char *error, bool connection_ended)
{
	struct failure *f = xcalloc(1, sizeof(*f));
	*f = (struct failure){.sent_usec = sent_usec,
			      .failed_usec = chaos_now(),
			      .connection_ended = connection_ended};
	snprintf(f->text, sizeof(f->text), "%s, after %llu ms: %d %s", what,
		 (unsigned long long)(f->failed_usec - sent_usec) / 1000, code, error);
	history_add(c, "*", "ADMISSION of a %s", f->text);
	TAILQ_INSERT_TAIL(&c->steady->failures, f, link);
}

static bool ended(const char *error)
{
	static const char *const says[] = {"EOF", "connection reset by peer", "broken pipe"};
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++)
		if (strstr(error, says[i]))
			return true;
	return false;
}

void steady_count(struct chaos *c, const char *what, uint64_t sent_usec,
		  const struct k8s_response *r)
{
	c->steady->admissions++;
	if (!k8s_ok(r))
		add_failure(c, what, sent_usec, r->code, r->error, r->code && ended(r->error));
}

static void judge(struct chaos *c)
{
	struct steady *cl = c->steady;
	struct failure *f;
	while ((f = TAILQ_FIRST(&cl->failures)) && f->failed_usec + JUDGE_USEC < chaos_now()) {
		const bool lost =
		    f->connection_ended &&
		    tree_lost_webhookd(c, f->sent_usec - SLACK_USEC, f->failed_usec + SLACK_USEC);
		cl->lost += lost;
		cl->failed += !lost;
		if (!lost)
			fprintf(stderr, "chaos: admission of a %s\n", f->text);
		TAILQ_REMOVE(&cl->failures, f, link);
		free(f);
	}
}

static void on_deleted(const struct k8s_response *r, void *userdata)
{
	struct chaos *c = userdata;
	(void)r;
	c->steady->answered++;
}

static void on_created(const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	struct chaos *c = cr->c;
	steady_count(c, cr->resource->kind, cr->began_usec, r);
	if (cr->resource == &K8S_PODS && k8s_ok(r) &&
	    !memmem(r->body, r->body_len, ENV_LAUNCH_BARRIER, strlen(ENV_LAUNCH_BARRIER)))
		add_failure(c, "Pod", cr->began_usec, r->code, "it was not changed", true);
	k8s_delete(c->steady->k8s, cr->resource, c->o->namespace_, cr->name, NULL, 0, NULL,
		   on_deleted, c);
	free(cr);
}

static void create(struct chaos *c, const struct k8s_resource *resource, const char *text)
{
	_cleanup_arena_ arena *a = arena_new();
	val object;
	struct err e = {0};
	if (json_parse(a, text, strlen(text), &object, &e) < 0)
		fatal("%s", e.msg);
	struct creation *cr = xcalloc(1, sizeof(*cr));
	cr->c = c;
	cr->resource = resource;
	cr->began_usec = chaos_now();
	snprintf(cr->name, sizeof(cr->name), "%.*s",
		 STR_ARG(val_str(val_path(&object, "metadata", "name", NULL))));
	c->steady->sent++;
	k8s_create(c->steady->k8s, resource, c->o->namespace_, &object, on_created, cr);
}

static void tick(struct chaos *c)
{
	struct steady *cl = c->steady;
	const uint64_t now = chaos_now();
	while (!cl->stopped && now >= cl->owed_usec) {
		cl->owed_usec += 1000000 / (uint64_t)c->o->rate;
		const struct k8s_resource *const version =
		    cl->sent % 4 ? &K8S_CLONESETS : &K8S_CLONESETS_V1ALPHA1;
		_cleanup_free_ char *set = xasprintf(
		    "{\"apiVersion\":\"apps.kruise.io/%s\",\"kind\":\"CloneSet\",\"metadata\":{"
		    "\"name\":\"steady-%lld\"},\"spec\":{\"replicas\":0,\"selector\":{"
		    "\"matchLabels\":{\"app\":\"steady\"}},\"template\":{\"metadata\":{\"labels\":{"
		    "\"app\":\"steady\"}},\"spec\":{\"containers\":[{\"name\":\"m\",\"image\":"
		    "\"x\"}]}}}"
		    "}",
		    version->version, (long long)cl->sent);
		create(c, version, set);
		_cleanup_free_ char *pod = xasprintf(
		    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"steady-%"
		    "lld\","
		    "\"annotations\":{\"apps.kruise.io/container-launch-priority\":\"Ordered\"}},"
		    "\"spec\":{\"nodeName\":\"nowhere\",\"containers\":[{\"name\":\"m\",\"image\":"
		    "\"x\"},"
		    "{\"name\":\"n\",\"image\":\"x\"}]}}",
		    (long long)cl->sent);
		create(c, &K8S_PODS, pod);
	}
}

void steady_start(struct chaos *c)
{
	struct err e = {0};
	_cleanup_k8s_config_ struct k8s_config *config = NULL;
	const struct k8s_client_options o = {.user_agent = "kruise-chaos-client",
					     .max_in_flight = 400,
					     .timeout_usec = TIMEOUT_USEC};
	c->steady = xcalloc(1, sizeof(*c->steady));
	TAILQ_INIT(&c->steady->failures);
	c->steady->owed_usec = chaos_now();
	if (k8s_config_load(&config, c->o->kubeconfig, NULL, &e) < 0 ||
	    k8s_client_new(&c->steady->k8s, c->loop, config, &o, &e) < 0)
		fatal("%s", e.msg);
	chaos_every(c, 10000, tick);
	chaos_every(c, 100000, judge);
}

void steady_stop(struct chaos *c)
{
	c->steady->stopped = true;
}

bool steady_idle(const struct chaos *c)
{
	return c->steady->answered == c->steady->sent && TAILQ_EMPTY(&c->steady->failures);
}

int64_t steady_admissions(const struct chaos *c)
{
	return c->steady->admissions;
}

int64_t steady_failed(const struct chaos *c)
{
	return c->steady->failed;
}

int64_t steady_lost(const struct chaos *c)
{
	return c->steady->lost;
}
