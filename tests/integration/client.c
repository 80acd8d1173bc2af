/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API client against a real API server: KUBECONFIG names it (client certificate),
 * APISERVER_TOKEN is a token for the same. Prints TAP-like lines, then "N passed, N failed".
 */
#include "ipc/base/log.h"
#include "kube/events.h"
#include "kube/json.h"
#include "kube/rest.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_USEC ((uint64_t)60 * 1000000)
#define N_CONCURRENT 200
#define N_BENCH 2000

static struct {
	sd_event *loop;
	struct k8s_config *config;
	struct k8s_client *client;
	char ns[64];
	int passed, failed;
} t;

static bool ok(bool good, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool ok(bool good, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	t.passed += good;
	t.failed += !good;
	printf("%s %d - ", good ? "ok" : "not ok", t.passed + t.failed);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout);
	va_end(ap);
	return good;
}

static uint64_t mono(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* Turns the loop until *n reaches want; false after a minute. */
static bool run_until(const size_t *n, size_t want)
{
	uint64_t end = mono() + LIMIT_USEC;
	while (*n < want && mono() < end) {
		if (sd_event_run(t.loop, 1000000) < 0)
			return false;
	}
	return *n >= want;
}

/* One answer, kept. */
struct result {
	size_t done;
	int code;
	char error[512];
	char reason[64];
	bool conflict, exists, not_found;
	arena *arena;
	const val *object;
	const val *causes;
};

static void keep(const struct k8s_response *r, void *userdata)
{
	struct result *x = userdata;
	x->code = r->code;
	snprintf(x->error, sizeof(x->error), "%s", r->error ? r->error : "");
	snprintf(x->reason, sizeof(x->reason), "%s", r->reason);
	x->conflict = k8s_is_conflict(r);
	x->exists = k8s_is_already_exists(r);
	x->not_found = k8s_is_not_found(r);
	x->object = r->object;
	x->causes = r->causes;
	x->arena = k8s_response_steal(r);
	x->done = 1;
}

static void clear(struct result *x)
{
	arena_freep(&x->arena);
	*x = (struct result){0};
}

static void begin(struct result *x)
{
	clear(x);
}

static bool wait_for(struct result *x)
{
	if (!run_until(&x->done, 1))
		snprintf(x->error, sizeof(x->error), "no answer within a minute");
	return x->done;
}

static val parse(arena *a, const char *json)
{
	val v = val_null();
	struct err e = {0};
	if (json_parse(a, json, strlen(json), &v, &e) < 0)
		fatal("test data: %s", e.msg);
	return v;
}

static struct str rv_of(const val *o)
{
	return val_str(val_path(o, "metadata", "resourceVersion", NULL));
}

static void create_map(struct result *x, arena *a, const char *name, const char *data)
{
	val o = parse(a, arena_printf(a,
				      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
				      "\"name\":\"%s\",\"labels\":{\"t\":\"c\"}},\"data\":%s}",
				      name, data));
	begin(x);
	k8s_create(t.client, &K8S_CONFIGMAPS, t.ns, &o, keep, x);
	wait_for(x);
}

/* ---- the checks ---- */

static void check_objects(void)
{
	_cleanup_arena_ arena *a = arena_new();
	struct result x = {0}, y = {0};
	create_map(&x, a, "one", "{\"k\":\"v\"}");
	ok(x.code == 201 && val_is(val_path(x.object, "data", "k", NULL), "v"), "create: %d %s",
	   x.code, x.error);
	create_map(&y, a, "one", "{}");
	ok(y.exists && strstr(y.error, "already exists"), "create again: %s", y.error);

	begin(&y);
	k8s_get(t.client, &K8S_CONFIGMAPS, t.ns, "one", keep, &y);
	wait_for(&y);
	ok(y.code == 200 && str_eq(rv_of(x.object), rv_of(y.object)), "get: %d %s", y.code,
	   y.error);

	val changed = val_copy(a, y.object);
	val_set(a, val_ensure_map(a, &changed, "data"), "k", val_of_str("w"));
	begin(&y);
	k8s_update(t.client, &K8S_CONFIGMAPS, t.ns, "one", NULL, &changed, keep, &y);
	wait_for(&y);
	ok(y.code == 200 && val_is(val_path(y.object, "data", "k", NULL), "w"), "update: %d %s",
	   y.code, y.error);
	begin(&y);
	val_set(a, val_ensure_map(a, &changed, "data"), "k", val_of_str("z"));
	k8s_update(t.client, &K8S_CONFIGMAPS, t.ns, "one", NULL, &changed, keep, &y);
	wait_for(&y);
	ok(y.code == 409 && y.conflict && !y.exists, "stale update is a conflict: %s", y.error);

	begin(&y);
	k8s_get(t.client, &K8S_CONFIGMAPS, t.ns, "absent", keep, &y);
	wait_for(&y);
	ok(y.not_found && strcmp(y.reason, "NotFound") == 0 && strstr(y.error, "absent"),
	   "get of nothing: %s: %s", y.reason, y.error);
	clear(&x);
	clear(&y);
}

static void check_patches(void)
{
	static const struct {
		enum k8s_patch_type type;
		const char *name, *patch, *key, *want;
	} rows[] = {
	    {K8S_PATCH_JSON, "JSON", "[{\"op\":\"add\",\"path\":\"/data/j~1x\",\"value\":\"1\"}]",
	     "j/x", NULL},
	    {K8S_PATCH_JSON, "JSON", "[{\"op\":\"add\",\"path\":\"/data/j\",\"value\":\"1\"}]", "j",
	     "1"},
	    {K8S_PATCH_MERGE, "merge", "{\"data\":{\"m\":\"2\",\"k\":null}}", "m", "2"},
	    {K8S_PATCH_STRATEGIC, "strategic", "{\"data\":{\"s\":\"3\"}}", "s", "3"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct result x = {0};
		val p = parse(a, rows[i].patch);
		k8s_patch(t.client, &K8S_CONFIGMAPS, t.ns, "one", NULL, rows[i].type, &p, keep, &x);
		wait_for(&x);
		if (rows[i].want)
			ok(x.code == 200 &&
			       val_is(val_path(x.object, "data", rows[i].key, NULL), rows[i].want),
			   "%s patch: %d %s", rows[i].name, x.code, x.error);
		else /* a configmap key may hold no slash */
			ok(x.code == 422 && val_len(x.causes) > 0 &&
			       val_str(val_get(val_at(x.causes, 0), "field")).n > 0,
			   "invalid %s patch: %d %s", rows[i].name, x.code, x.error);
		clear(&x);
	}
}

static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"annotations\":{\"big\":"
    "\"9007199254740993\"}},\"spec\":{\"automountServiceAccountToken\":false,\"containers\":[{"
    "\"name\":\"c\",\"image\":\"none\"}],"
    "\"nodeSelector\":{\"no\":\"where\"}}}";

/* The service account of a new namespace comes a moment later. */
static void create_pod(struct result *x, const val *o)
{
	uint64_t end = mono() + LIMIT_USEC;
	do {
		begin(x);
		k8s_create(t.client, &K8S_PODS, t.ns, o, keep, x);
		wait_for(x);
	} while (x->code == 403 && strstr(x->error, "serviceaccount") && mono() < end);
}

static void check_pods(void)
{
	_cleanup_arena_ arena *a = arena_new();
	struct result x = {0};
	val o = parse(a, pod);
	create_pod(&x, &o);
	const char *uid = val_cstr(a, val_path(x.object, "metadata", "uid", NULL));
	if (!ok(x.code == 201 && uid, "create pod: %d %s", x.code, x.error))
		return;
	val status = parse(a, "{\"status\":{\"conditions\":[{\"type\":\"InPlaceUpdateReady\","
			      "\"status\":\"True\"}]}}");
	begin(&x);
	k8s_patch(t.client, &K8S_PODS, t.ns, "p", "status", K8S_PATCH_STRATEGIC, &status, keep, &x);
	wait_for(&x);
	const val *conditions = val_path(x.object, "status", "conditions", NULL);
	ok(x.code == 200 && val_find(conditions, "type", str_of("InPlaceUpdateReady")),
	   "status sub-resource: %d %s", x.code, x.error);

	val bad = val_copy(a, &o);
	val_set(a, val_ensure_map(a, &bad, "metadata"), "name", val_of_str("q"));
	val_set(a, val_ensure_map(a, &bad, "spec"), "containers", val_array());
	create_pod(&x, &bad);
	ok(x.code == 422 && strcmp(x.reason, "Invalid") == 0 &&
	       val_is(val_get(val_at(x.causes, 0), "field"), "spec.containers"),
	   "Invalid names the field: %s", x.error);

	begin(&x);
	k8s_delete(t.client, &K8S_PODS, t.ns, "p", "00000000-0000-0000-0000-000000000000", 0, NULL,
		   keep, &x);
	wait_for(&x);
	ok(x.conflict, "delete with another UID: %d %s", x.code, x.error);
	begin(&x);
	k8s_delete(t.client, &K8S_PODS, t.ns, "p", uid, 0, "Background", keep, &x);
	wait_for(&x);
	ok(x.code == 200, "delete with its UID: %d %s", x.code, x.error);
	clear(&x);
}

struct many {
	size_t done, good, cancelled;
	int first_bad;
};

static void count_answer(const struct k8s_response *r, void *userdata)
{
	struct many *m = userdata;
	m->done++;
	if (k8s_ok(r))
		m->good++;
	else if (!m->first_bad)
		m->first_bad = r->code;
}

static size_t sockets(void)
{
	size_t n = 0;
	DIR *d = opendir("/proc/self/fd");
	for (struct dirent *x; d && (x = readdir(d));) {
		char path[300];
		struct stat st;
		snprintf(path, sizeof(path), "/proc/self/fd/%s", x->d_name);
		n += stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
	}
	if (d)
		closedir(d);
	return n;
}

static double cpu_usec(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void check_many(void)
{
	_cleanup_arena_ arena *a = arena_new();
	struct many m = {0};
	size_t before = sockets();
	for (int i = 0; i < N_CONCURRENT; i++) {
		val o =
		    parse(a, arena_printf(a,
					  "{\"metadata\":{\"name\":\"m-%03d\",\"labels\":{\"t\":"
					  "\"many\"}},\"data\":{\"i\":\"%d\"}}",
					  i, i));
		k8s_create(t.client, &K8S_CONFIGMAPS, t.ns, &o, count_answer, &m);
	}
	ok(k8s_client_in_flight(t.client) == N_CONCURRENT, "%zu calls in flight",
	   k8s_client_in_flight(t.client));
	run_until(&m.done, N_CONCURRENT);
	ok(m.good == N_CONCURRENT, "%zu of %d concurrent creates (first error: %d)", m.good,
	   N_CONCURRENT, m.first_bad);
	ok(sockets() == before && k8s_client_connections(t.client) == 1,
	   "over one connection (%zu sockets before, %zu after, %llu connections)", before,
	   sockets(), (unsigned long long)k8s_client_connections(t.client));

	struct many g = {0};
	double cpu = cpu_usec();
	uint64_t start = mono();
	for (int i = 0; i < N_BENCH; i++)
		k8s_get(t.client, &K8S_CONFIGMAPS, t.ns, "m-007", count_answer, &g);
	run_until(&g.done, N_BENCH);
	ok(g.good == N_BENCH, "%d gets: %.1f us CPU each here, %.0f per second", N_BENCH,
	   (cpu_usec() - cpu) / N_BENCH, N_BENCH / ((double)(mono() - start) / 1e6));
}

static void check_paging(void)
{
	_cleanup_arena_ arena *a = arena_new();
	size_t items = 0, pages = 0;
	const char *query = "limit=60&labelSelector=t%3Dmany";
	struct result x = {0};
	for (; query && pages < 10; pages++) {
		begin(&x);
		k8s_list(t.client, &K8S_CONFIGMAPS, t.ns, query, keep, &x);
		wait_for(&x);
		items += val_len(val_get(x.object, "items"));
		const char *next = val_cstr(a, val_path(x.object, "metadata", "continue", NULL));
		query = next && *next
			    ? arena_printf(a, "limit=60&labelSelector=t%%3Dmany&continue=%s", next)
			    : NULL;
	}
	ok(items == N_CONCURRENT && pages == 4, "paged list: %zu items in %zu pages", items, pages);
	clear(&x);
}

struct watching {
	size_t added, bookmarks, ended, gone, lines;
	int code;
	char error[256];
	char last_rv[32];
	struct k8s_watch *stop_at_first;
};

static void on_line(const char *line, size_t n, void *userdata)
{
	struct watching *w = userdata;
	_cleanup_arena_ arena *a = arena_new();
	val v;
	w->lines++;
	if (json_parse(a, line, n, &v, NULL) < 0)
		return;
	w->added += val_is(val_get(&v, "type"), "ADDED");
	w->bookmarks += val_is(val_get(&v, "type"), "BOOKMARK");
	w->gone += val_is(val_get(&v, "type"), "ERROR") &&
		   val_int_or(val_path(&v, "object", "code", NULL), 0) == 410;
	struct str rv = rv_of(val_get(&v, "object"));
	snprintf(w->last_rv, sizeof(w->last_rv), "%.*s", STR_ARG(rv));
	if (w->stop_at_first)
		k8s_watch_stop(w->stop_at_first);
}

static void on_end(int code, const char *error, void *userdata)
{
	struct watching *w = userdata;
	w->ended++;
	w->code = code;
	w->gone += code == 410;
	snprintf(w->error, sizeof(w->error), "%s", error ? error : "");
}

static void check_watch(void)
{
	_cleanup_arena_ arena *a = arena_new();
	struct result x = {0};
	struct watching w = {0}, old = {0}, stopped = {0};
	k8s_list(t.client, &K8S_CONFIGMAPS, t.ns, "limit=1", keep, &x);
	wait_for(&x);
	char *rv = val_cstr(a, val_path(x.object, "metadata", "resourceVersion", NULL));
	/* the server sends a bookmark shortly before its time-out */
	const char *query = arena_printf(
	    a, "resourceVersion=%s&allowWatchBookmarks=true&timeoutSeconds=4", rv ? rv : "0");
	k8s_watch_start(t.client, &K8S_CONFIGMAPS, t.ns, query, on_line, on_end, &w);
	create_map(&x, a, "seen", "{}");
	run_until(&w.added, 1);
	ok(w.added == 1 && str_is(rv_of(x.object), w.last_rv),
	   "watch from a resourceVersion sees what came after it");
	run_until(&w.ended, 1);
	ok(w.ended == 1 && w.code == 200 && !*w.error && w.added == 1,
	   "the watch ends normally at its time-out: %d %s", w.code, w.error);
	ok(w.bookmarks > 0, "with a bookmark");

	k8s_watch_start(t.client, &K8S_CONFIGMAPS, t.ns, "resourceVersion=1&timeoutSeconds=5",
			on_line, on_end, &old);
	run_until(&old.ended, 1);
	/* a young server may still have all its history, and then replays it */
	bool replayed = old.code == 200 && !*old.error && old.added > N_CONCURRENT;
	ok(old.gone > 0 || replayed, "a resourceVersion that is too old is 410, or is replayed: %s",
	   old.gone ? "410" : "replayed");

	stopped.stop_at_first = k8s_watch_start(t.client, &K8S_CONFIGMAPS, t.ns, "timeoutSeconds=5",
						on_line, on_end, &stopped);
	run_until(&stopped.lines, 1);
	begin(&x);
	k8s_get(t.client, &K8S_CONFIGMAPS, t.ns, "one", keep, &x);
	wait_for(&x);
	ok(stopped.lines == 1 && !stopped.ended, "a watch may be stopped in its own callback");
	clear(&x);
}

static const char crd[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/"
    "v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":"
    "{\"name\":\"things.client.test\"},\"spec\":{\"group\":\"client.test\",\"scope\":"
    "\"Namespaced\","
    "\"names\":{\"plural\":\"things\",\"singular\":\"thing\",\"kind\":\"Thing\",\"listKind\":"
    "\"ThingList\"},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
    "\"openAPIV3Schema\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";
static const char thing[] =
    "{\"apiVersion\":\"client.test/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t\"},\"spec\":{"
    "\"big\":9007199254740993,\"least\":-9223372036854775808,\"unknown\":{\"a\":[1,null,\"x\"]}}}";

static void check_crd(void)
{
	static const struct k8s_resource things = {"client.test", "v1", "things", "Thing", true};
	_cleanup_arena_ arena *a = arena_new();
	struct result x = {0};
	val definition = parse(a, crd), o = parse(a, thing);
	k8s_create(t.client, &K8S_CRDS, NULL, &definition, keep, &x);
	wait_for(&x);
	ok(x.code == 201 || x.exists, "create a CRD: %d %s", x.code, x.error);
	uint64_t end = mono() + LIMIT_USEC;
	do { /* until it is served */
		begin(&x);
		k8s_create(t.client, &things, t.ns, &o, keep, &x);
		wait_for(&x);
	} while (x.code == 404 && mono() < end);
	const val *spec = val_get(x.object, "spec");
	ok(x.code == 201 && val_int_or(val_get(spec, "big"), 0) == 9007199254740993 &&
	       val_int_or(val_get(spec, "least"), 0) == INT64_MIN,
	   "64-bit integers survive: %d %s", x.code, x.error);
	val copy = val_copy(a, x.object);
	val_set(a, val_ensure_map(a, &copy, "spec"), "more", val_of_int(1));
	begin(&x);
	k8s_update(t.client, &things, t.ns, "t", NULL, &copy, keep, &x);
	wait_for(&x);
	ok(val_equal(val_path(x.object, "spec", "unknown", NULL),
		     val_path(&o, "spec", "unknown", NULL)),
	   "unknown fields survive an update: %d %s", x.code, x.error);
	begin(&x);
	k8s_delete(t.client, &K8S_CRDS, NULL, "things.client.test", NULL, -1, NULL, keep, &x);
	wait_for(&x);
	clear(&x);
}

/* Whether a GET through this configuration works; *x holds the answer. */
static bool get_with(const struct k8s_config *config, struct result *x)
{
	struct k8s_client *c = NULL;
	struct err e = {0};
	struct k8s_client_options o = {.max_retries = 1};
	begin(x);
	if (k8s_client_new(&c, t.loop, config, &o, &e) < 0) {
		snprintf(x->error, sizeof(x->error), "%s", e.msg);
		return false;
	}
	k8s_get(c, &K8S_NAMESPACES, NULL, t.ns, keep, x);
	wait_for(x);
	k8s_client_free(c);
	return x->code == 200;
}

static char *write_temp(const char *text)
{
	char *path = xstrdup("/tmp/client-test-XXXXXX");
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fatal("%s: %s", path, strerror(errno));
	close(fd);
	return path;
}

static void rewrite(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		fatal("%s: %s", path, strerror(errno));
}

static struct k8s_config *without_credentials(void)
{
	struct k8s_config *c = k8s_config_copy(t.config);
	free(c->cert_data);
	free(c->key_data);
	free(c->token);
	c->cert_data = c->key_data = c->token = NULL;
	return c;
}

static void check_credentials(void)
{
	const char *token = getenv("APISERVER_TOKEN");
	struct result x = {0};
	ok(t.config->cert_data != NULL, "the kubeconfig has a client certificate");
	if (!ok(token != NULL, "APISERVER_TOKEN is set"))
		return;
	_cleanup_k8s_config_ struct k8s_config *c = without_credentials();
	c->token = xstrdup(token);
	bool good = get_with(c, &x);
	ok(good, "a token: %d %s", x.code, x.error);
	free(c->token);
	c->token = xstrdup("wrong");
	good = get_with(c, &x);
	ok(!good && x.code == 401, "a wrong token: %d %s", x.code, x.error);
	free(c->token);
	c->token = NULL;

	/* the token is rotated after the client was made, hence 401 and one retry */
	c->token_file = write_temp("stale\n");
	struct k8s_client *client = NULL;
	begin(&x);
	if (k8s_client_new(&client, t.loop, c, NULL, NULL) == 0) {
		rewrite(c->token_file, token);
		k8s_get(client, &K8S_NAMESPACES, NULL, t.ns, keep, &x);
		wait_for(&x);
		k8s_client_free(client);
	}
	ok(x.code == 200, "a token file is read again upon 401: %d %s", x.code, x.error);
	unlink(c->token_file);
	free(c->token_file);
	c->token_file = NULL;

	c->exec = xcalloc(1, sizeof(*c->exec));
	c->exec->api_version = xstrdup("client.authentication.k8s.io/v1beta1");
	c->exec->command = xstrdup("/bin/sh");
	c->exec->args = xcalloc(3, sizeof(char *));
	c->exec->args[0] = xstrdup("-c");
	c->exec->args[1] =
	    xstrdup("echo '{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":"
		    "\"ExecCredential\",\"status\":{\"token\":\"'$APISERVER_TOKEN'\"}}'");
	good = get_with(c, &x);
	ok(good, "an exec plugin: %d %s", x.code, x.error);
	clear(&x);
}

static void check_trust(void)
{
	/* some other certificate, valid in itself: our own client certificate */
	struct result x = {0};
	_cleanup_k8s_config_ struct k8s_config *c = k8s_config_copy(t.config);
	free(c->ca_data);
	c->ca_data = xstrdup(t.config->cert_data ? t.config->cert_data : "");
	bool good = get_with(c, &x);
	ok(!good && x.code == 0 && strstr(x.error, "is not trusted"), "wrong CA: %s", x.error);
	free(c->ca_data);
	c->ca_data = xstrdup(t.config->ca_data);
	c->tls_server_name = xstrdup("other.example");
	good = get_with(c, &x);
	ok(!good && strstr(x.error, "is not trusted"), "wrong server name: %s", x.error);
	free(c->tls_server_name);
	c->tls_server_name = xstrdup("kubernetes.default.svc");
	good = get_with(c, &x);
	ok(good, "tls-server-name of the certificate: %d %s", x.code, x.error);
	free(c->tls_server_name);
	c->tls_server_name = NULL;
	free(c->server);
	c->server = xstrdup("https://127.0.0.1:1");
	good = get_with(c, &x);
	ok(!good && strstr(x.error, "cannot reach"), "nobody listens: %s", x.error);
	clear(&x);
}

struct cancelling {
	struct k8s_call *calls[20];
	size_t answered, after;
};

static void cancel_others(const struct k8s_response *r, void *userdata)
{
	(void)r;
	struct cancelling *x = userdata;
	x->answered++;
	for (size_t i = 0; i < 20; i++) {
		/* the one that is answered now is among them, which must be harmless */
		if (x->answered == 1)
			k8s_call_cancel(x->calls[i]);
	}
}

static void check_cancel(void)
{
	struct cancelling x = {0};
	struct result last = {0};
	size_t before = k8s_client_in_flight(t.client);
	for (size_t i = 0; i < 20; i++)
		x.calls[i] = k8s_get(t.client, &K8S_CONFIGMAPS, t.ns, "one", cancel_others, &x);
	run_until(&x.answered, 1);
	ok(k8s_client_in_flight(t.client) == before, "a callback may cancel all, itself included");
	k8s_call_cancel(k8s_get(t.client, &K8S_CONFIGMAPS, t.ns, "one", cancel_others, &x));
	k8s_get(t.client, &K8S_CONFIGMAPS, t.ns, "one", keep, &last);
	wait_for(&last);
	ok(x.answered == 1 && last.code == 200, "cancelled calls are never answered (%zu were)",
	   x.answered);
	clear(&last);
}

static void check_events(void)
{
	_cleanup_arena_ arena *a = arena_new();
	struct result x = {0};
	create_map(&x, a, "about", "{}");
	struct k8s_object_ref ref = k8s_object_ref_of(&K8S_CONFIGMAPS, x.object);
	struct k8s_recorder *r = k8s_recorder_new(t.client, t.loop, "client-test");
	for (int i = 0; i < 3; i++)
		k8s_event(r, &ref, K8S_EVENT_NORMAL, "Same", "created pod %s", "p");
	for (int i = 0; i < 15; i++)
		k8s_event(r, &ref, K8S_EVENT_WARNING, "Similar", "message %d", i);
	for (int i = 0; i < 20; i++)
		k8s_event(r, &ref, K8S_EVENT_WARNING, "TooMany", "again");
	struct k8s_recorder_stats s;
	uint64_t end = mono() + LIMIT_USEC;
	do {
		sd_event_run(t.loop, 100000);
		s = k8s_recorder_get_stats(r);
	} while (s.created + s.updated + s.dropped < 25 && mono() < end);
	ok(s.suppressed == 13 && s.dropped == 0,
	   "25 of 38 events of an object pass (%llu suppressed, %llu dropped)",
	   (unsigned long long)s.suppressed, (unsigned long long)s.dropped);
	k8s_recorder_free(r);

	begin(&x);
	k8s_list(t.client, &K8S_EVENTS, t.ns, "fieldSelector=source%3Dclient-test", keep, &x);
	wait_for(&x);
	const val *items = val_get(x.object, "items");
	size_t similar = 0;
	for (size_t i = 0; i < val_len(items); i++)
		similar += val_is(val_get(val_at(items, i), "reason"), "Similar");
	const val *same = val_find(items, "reason", str_of("Same"));
	ok(val_int_or(val_get(same, "count"), 0) == 3 &&
	       val_is(val_path(same, "involvedObject", "name", NULL), "about"),
	   "the same event three times is one with count 3: %s", x.error);
	const val *combined = NULL;
	for (size_t i = 0; i < val_len(items) && !combined; i++) {
		const val *item = val_at(items, i);
		if (str_has_prefix(val_str(val_get(item, "message")), "(combined from similar"))
			combined = item;
	}
	ok(similar == 11 && val_int_or(val_get(combined, "count"), 0) == 5 &&
	       val_is(val_get(combined, "message"), "(combined from similar events): message 14"),
	   "15 similar events are 10 and a combined one (%zu found)", similar);
	clear(&x);
}

static int start(void)
{
	struct err e = {0};
	_cleanup_arena_ arena *a = arena_new();
	struct result x = {0};
	if (sd_event_default(&t.loop) < 0)
		return -1;
	if (k8s_config_load(&t.config, NULL, NULL, &e) < 0 ||
	    k8s_client_new(&t.client, t.loop, t.config,
			   &(struct k8s_client_options){.user_agent = "client-test/1"}, &e) < 0) {
		ok(false, "start: %s", e.msg);
		return -1;
	}
	snprintf(t.ns, sizeof(t.ns), "client-%d", (int)getpid());
	val ns = parse(a, arena_printf(a, "{\"metadata\":{\"name\":\"%s\"}}", t.ns));
	k8s_create(t.client, &K8S_NAMESPACES, NULL, &ns, keep, &x);
	wait_for(&x);
	bool good = ok(x.code == 201, "create a namespace: %d %s", x.code, x.error);
	clear(&x);
	return good ? 0 : -1;
}

static void stop(void)
{
	struct result x = {0};
	k8s_delete(t.client, &K8S_NAMESPACES, NULL, t.ns, NULL, -1, NULL, keep, &x);
	wait_for(&x);
	clear(&x);
}

int main(void)
{
	static void (*const checks[])(void) = {
	    check_objects, check_patches, check_pods,	     check_many,  check_paging, check_watch,
	    check_crd,	   check_cancel,  check_credentials, check_trust, check_events,
	};
	log_init("client", getenv("VERBOSE") ? LOG_LVL_TRACE : LOG_LVL_WARN, false);
	if (start() == 0) {
		for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
			checks[i]();
		stop();
	}
	k8s_client_free(t.client);
	k8s_config_free(t.config);
	sd_event_unref(t.loop);
	printf("%d passed, %d failed\n", t.passed, t.failed);
	return t.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
