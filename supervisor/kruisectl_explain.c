/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/kruisectl_explain.h"

#include "ipc/base/log.h"
#include "ipc/options.h"
#include "ipc/store.h"
#include "kube/resource.h"
#include "kube/time.h"
#include "supervisor/kruisectl.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STALE_USEC 10000000 /* as the workers have it */

const char explain_usage[] = "explain clone [NAMESPACE/]NAME [--all] [-o json]";

/* ---- what kruised says ---- */

static void copy_str(char *to, size_t size, struct str s)
{
	snprintf(to, size, "%.*s", STR_ARG(s));
}

static void on_status(struct str text, void *userdata)
{
	struct situation *s = userdata;
	struct str key, value;
	struct ctl_row row;
	char number[32];
	if (ctl_fact_parse(text, &key, &value)) {
		copy_str(number, sizeof(number), value);
		if (str_is(key, "leader"))
			s->leader = strncmp(number, "yes", 3) == 0;
		else if (str_is(key, "pid"))
			s->pid = atoll(number);
		return;
	}
	if (ctl_row_parse(text, &row) < 0)
		return;
	if (str_is(row.name, "elector"))
		copy_str(s->leader_note, sizeof(s->leader_note), row.note);
	if (str_is(row.name, "cloneset") && !row.ready)
		snprintf(s->worker_note, sizeof(s->worker_note), "%.*s%s%.*s", STR_ARG(row.state),
			 row.note.n ? ": " : "", STR_ARG(row.note));
}

/* The flags that kruised runs with decide, as they do for its worker. Without them: the defaults.
 */
static bool read_flags(long long pid, char *text, size_t size, char **argv, int max, int *argc)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%lld/cmdline", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	*argc = 0;
	for (char *p = text; p < text + n && *argc < max; p += strlen(p) + 1)
		argv[(*argc)++] = p;
	return *argc < max;
}

static void flags_of(long long pid, struct gates *gates, bool *exclude)
{
	static char text[32768];
	static char *argv[512];
	struct options o;
	int argc;
	*gates = gates_default();
	*exclude = false;
	log_init("kruisectl", LOG_LVL_ERROR, false);
	if (!read_flags(pid, text, sizeof(text), argv, 512, &argc) ||
	    options_parse(&o, argc, argv, NULL) < 0)
		return;
	*exclude = o.cloneset_exclude_preparing_delete;
	if (gates_parse(o.feature_gates, NULL, gates, NULL) < 0)
		*gates = gates_default();
}

/* ---- what the store has ---- */

static uint64_t mono_now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void remark(struct view *v, enum cloneset_stand stand, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void remark(struct view *v, enum cloneset_stand stand, const char *fmt, ...)
{
	struct remark *r = &v->remarks[v->n_remarks++];
	va_list ap;
	r->stand = stand;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

/* The age of the oldest of what the controller needs; -1: something is not complete yet. */
static int64_t store_age(struct store_txn *txn)
{
	static const struct k8s_resource *const needed[] = {&K8S_CLONESETS, &K8S_PODS,
							    &K8S_CONTROLLERREVISIONS};
	int64_t age = 0;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		struct store_sync sync;
		if (store_sync_get(txn, k8s_resource_key(needed[i]), &sync) <= 0 || !sync.synced)
			return -1;
		uint64_t now = mono_now();
		int64_t one = now > sync.updated_usec ? (int64_t)(now - sync.updated_usec) : 0;
		age = one > age ? one : age;
	}
	return age;
}

static const val *copy_of(struct view *v, const struct store_entry *entry)
{
	val tree, *copy = arena_alloc(v->a, sizeof(*copy));
	if (store_object(entry, v->a, &tree, NULL) < 0)
		tree = val_map();
	*copy = val_copy(v->a, &tree);
	return copy;
}

struct pods {
	struct view *v;
	const val **objects;
	size_t n, cap;
};

static int on_pod(const struct store_entry *entry, void *userdata)
{
	struct pods *p = userdata;
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 64;
		const val **grown = arena_alloc(p->v->a, cap * sizeof(*grown));
		if (p->n)
			memcpy(grown, p->objects, p->n * sizeof(*grown));
		p->objects = grown;
		p->cap = cap;
	}
	p->objects[p->n++] = copy_of(p->v, entry);
	return 0;
}

static const char *why_inactive(arena *a, const struct pod_view *pod, const val *object)
{
	_cleanup_buf_ struct buf b = {0};
	const val *meta = val_get(object, "metadata");
	const val *finalizers = val_get(meta, "finalizers");
	if (!pod->terminating) {
		struct str phase = val_str(val_path(object, "status", "phase", NULL));
		buf_printf(&b, "has ended (%.*s) and no longer counts", STR_ARG(phase));
	} else {
		struct str until = val_str(val_get(meta, "deletionTimestamp"));
		buf_printf(&b, "is being deleted, its containers have until %.*s", STR_ARG(until));
		for (size_t i = 0; val_is_array(finalizers) && i < val_len(finalizers); i++) {
			struct str f = val_str(val_at(finalizers, i));
			buf_printf(&b, "%s %.*s", i ? "," : "; finalizers hold it:", STR_ARG(f));
		}
	}
	return arena_strndup(a, buf_str(&b), b.len);
}

static const val *object_of(size_t i, void *userdata)
{
	const struct view *v = userdata;
	return v->objects[i];
}

/* Views of all pods, those of the active ones in *active. */
static size_t split_pods(struct view *v, const struct pods *p, const struct pod_view **active)
{
	size_t n = 0;
	v->views = arena_alloc(v->a, (p->n + 1) * sizeof(*v->views));
	v->objects = arena_alloc(v->a, (p->n + 1) * sizeof(*v->objects));
	v->inactive = arena_alloc(v->a, (p->n + 1) * sizeof(*v->inactive));
	for (size_t i = 0; i < p->n; i++) {
		struct pod_view *one = &v->views[v->n_views++];
		pod_view_from(p->objects[i], one);
		if (one->active) {
			v->objects[n] = p->objects[i];
			active[n++] = one;
		} else {
			v->inactive[v->n_inactive++] =
			    (struct inactive){one->name, why_inactive(v->a, one, p->objects[i])};
		}
	}
	return n;
}

static const struct cloneset_strategy *strategy_of(struct view *v, struct cloneset_strategy *out)
{
	if (!cloneset_strategy_from(v->object, out))
		return NULL;
	const val **labels = arena_alloc(v->a, (v->st.n + 1) * sizeof(*labels));
	for (size_t i = 0; i < v->st.n; i++)
		labels[i] = val_path(v->objects[i], "metadata", "labels", NULL);
	out->labels = labels;
	return out;
}

static struct str error_of(const struct cloneset_status *s, const char *type)
{
	const val *c = val_find(s->conditions, "type", str_of(type));
	return val_is(val_get(c, "status"), "True") ? val_str(val_get(c, "message"))
						    : (struct str){0};
}

static char *text_of(arena *a, struct str s)
{
	return arena_strndup(a, s.p ? s.p : "", s.n);
}

/* The same steps as in the controller's sync. */
static void judge(struct view *v, const struct pods *p)
{
	arena *a = v->a;
	const struct pod_view **active = arena_alloc(a, (p->n + 1) * sizeof(*active));
	size_t n = split_pods(v, p, active);
	struct cloneset_strategy strategy;
	v->st = cloneset_classify(a, &v->spec, active, n, text_of(a, v->status.current_revision),
				  text_of(a, v->status.update_revision), v->now);
	v->c = cloneset_count(&v->spec, &v->st);
	v->scale = cloneset_scale(a, &v->spec, &v->st, &v->c, NULL);
	bool scales = v->scale.create_old + v->scale.create_new > 0 ||
		      v->scale.cancel.n + v->scale.remove.n > 0;
	if (!scales)
		v->update = cloneset_update(a, &v->spec, &v->st, &v->c, strategy_of(v, &strategy));
	v->x = (struct cloneset_explain){
	    .spec = &v->spec,
	    .st = &v->st,
	    .c = &v->c,
	    .scale = &v->scale,
	    .update = scales ? NULL : &v->update,
	    .scale_error = error_of(&v->status, "FailedScale"),
	    .update_error = error_of(&v->status, "FailedUpdate"),
	    .deleting = val_is_str(val_path(v->object, "metadata", "deletionTimestamp", NULL)),
	    .object = object_of,
	    .userdata = v,
	};
	v->verdict = cloneset_verdict(&v->x);
	v->steps = cloneset_steps(a, &v->x);
	v->judged = true;
}

/* What an onlooker knows and the controller's rules do not. */
static void add_remarks(struct view *v, const struct situation *s)
{
	v->leader = s->leader;
	if (!s->leader)
		remark(
		    v, STAND_NOT_LEADER,
		    "this replica does not lead and changes nothing (%s); what follows is for the "
		    "leader to do",
		    s->leader_note[0] ? s->leader_note : "no leader is known");
	else if (s->worker_note[0])
		remark(v, STAND_STALE, "the cloneset worker is not at work: %s", s->worker_note);
	if (v->store_age_usec < 0)
		remark(v, STAND_STALE,
		       "the store is not complete yet: the watcher's first lists are under way");
	else if (v->store_age_usec > STALE_USEC)
		remark(
		    v, STAND_STALE,
		    "the store has had no sign of life from the API server for %lld s: nothing new "
		    "is started; what follows is of that time",
		    (long long)(v->store_age_usec / 1000000));
	if (v->status.observed_generation < v->generation)
		remark(v, STAND_UNSEEN, "the controller has seen generation %lld, not yet %lld",
		       (long long)v->status.observed_generation, (long long)v->generation);
}

static int load(struct view *v, struct store_txn *txn, const struct situation *s)
{
	struct store_entry entry;
	struct err e = {0};
	struct gates gates;
	bool exclude;
	v->store_age_usec = store_age(txn);
	int r = store_get(txn, k8s_resource_key(&K8S_CLONESETS), v->ns, v->name, &entry);
	if (r <= 0) {
		fprintf(stderr, "kruisectl: there is no CloneSet %.*s in namespace %.*s%s\n",
			STR_ARG(v->name), STR_ARG(v->ns),
			v->store_age_usec < 0		 ? " (the store is not complete yet)"
			: v->store_age_usec > STALE_USEC ? " (the store is behind the API server)"
							 : "");
		return EXIT_ERROR;
	}
	v->object = copy_of(v, &entry);
	v->generation = val_int_or(val_path(v->object, "metadata", "generation", NULL), 0);
	v->status = cloneset_status_of(v->object);
	add_remarks(v, s);
	flags_of(s->pid, &gates, &exclude);
	if (cloneset_spec_from(v->object, &gates, exclude, &v->spec, &e) < 0) {
		remark(v, STAND_INVALID, "the controller cannot act on the spec: %s", e.msg);
		return EXIT_OK;
	}
	struct pods pods = {.v = v};
	struct str uid = val_str(val_path(v->object, "metadata", "uid", NULL));
	if (store_list_by(txn, STORE_BY_OWNER, uid, k8s_resource_key(&K8S_PODS), on_pod, &pods) <
	    0) {
		fprintf(stderr, "kruisectl: the store cannot be read\n");
		return EXIT_ERROR;
	}
	judge(v, &pods);
	return EXIT_OK;
}

/* ---- the command ---- */

struct request {
	struct str ns, name;
	bool all, json;
};

static int usage(const char *what)
{
	fprintf(stderr, "kruisectl: %s; usage: kruisectl %s\n", what, explain_usage);
	return EXIT_USAGE;
}

static bool is_kind(const char *word)
{
	static const char *const kinds[] = {"clone", "clones", "cloneset", "clonesets"};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(word, kinds[i]) == 0)
			return true;
	return false;
}

static int parse(int n, char **words, struct request *q)
{
	const char *positional[2] = {0};
	size_t k = 0;
	for (int i = 0; i < n; i++) {
		if (strcmp(words[i], "--all") == 0)
			q->all = true;
		else if (strcmp(words[i], "-ojson") == 0)
			q->json = true;
		else if (strcmp(words[i], "-o") == 0 && i + 1 < n &&
			 strcmp(words[i + 1], "json") == 0)
			q->json = ++i > 0;
		else if (words[i][0] == '-')
			return usage("unknown flag, or a flag without its value");
		else if (k == 2)
			return usage("too many words");
		else
			positional[k++] = words[i];
	}
	if (k < 2)
		return usage("which CloneSet?");
	if (!is_kind(positional[0]))
		return usage("only CloneSets can be explained");
	const char *slash = strchr(positional[1], '/');
	q->name = str_of(slash ? slash + 1 : positional[1]);
	q->ns = slash ? (struct str){positional[1], (size_t)(slash - positional[1])}
		      : str_of("default");
	if (q->ns.n == 0 || q->name.n == 0 || memchr(q->name.p, '/', q->name.n))
		return usage("a CloneSet is named NAMESPACE/NAME");
	return EXIT_OK;
}

int explain_main(const char *dir, int n, char **words)
{
	struct request q = {0};
	struct situation s = {0};
	struct err e = {0};
	struct store *store = NULL;
	int rc = parse(n, words, &q);
	char status[] = "status", *const ask[] = {status};
	if (rc == EXIT_OK)
		rc = ctl_ask(dir, 1, ask, on_status, &s, &e);
	if (rc != EXIT_OK)
		return rc;
	if (store_open_reader(&store, dir, &e) < 0) {
		fprintf(stderr, "kruisectl: %s\n", e.msg);
		return EXIT_ERROR;
	}
	_cleanup_arena_ arena *a = arena_new();
	struct view v = {.a = a, .ns = q.ns, .name = q.name, .now = k8s_now()};
	struct store_txn *txn;
	if (store_begin(store, &txn, &e) < 0) {
		fprintf(stderr, "kruisectl: %s\n", e.msg);
		store_close(store);
		return EXIT_ERROR;
	}
	rc = load(&v, txn, &s);
	store_end(txn);
	store_close(store);
	if (rc == EXIT_OK && q.json)
		explain_print_json(&v);
	else if (rc == EXIT_OK)
		explain_print(&v, q.all);
	while (v.n_views)
		pod_view_free(&v.views[--v.n_views]);
	return rc;
}
