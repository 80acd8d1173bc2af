/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_explain.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"

/*
 * Pods are a word each, NAME:LETTERS. o: old, n: new; u: not ready, U: not ready for long enough;
 * x: labelled specified-delete; p: in PreparingDelete; w: in PreparingUpdate; h: the hooks' label
 * is on it; a: ready, but not for minReadySeconds; l: ready, PreparingNormal; g: in its grace
 * period; i: an in-place update under way; b: its state is broken.
 */
struct world {
	struct pod_view views[600];
	const struct pod_view *pods[600];
	char names[600][8];
	val objects[600];
	size_t n;
	struct cloneset_spec spec;
	struct cloneset_state st;
	struct cloneset_counts c;
	struct cloneset_scale_plan scale;
	struct cloneset_update_plan update;
	struct cloneset_explain x;
	size_t asked; /* for objects */
};

static const val *object(size_t i, void *userdata)
{
	struct world *w = userdata;

	w->asked++;
	return &w->objects[i];
}

static void letter(struct pod_view *v, char c)
{
	switch (c) {
	case 'n':
		v->revision = "x-new";
		break;
	case 'u':
		v->cond_ready = COND_FALSE;
		v->ready_since = NOW - 10;
		break;
	case 'U':
		v->cond_ready = COND_FALSE;
		v->ready_since = NOW - 100;
		break;
	case 'a':
		v->ready_since = NOW - 5;
		break;
	case 'x':
		v->specified_delete = true;
		break;
	case 'p':
		v->lifecycle = LIFECYCLE_PREPARING_DELETE;
		break;
	case 'w':
		v->lifecycle = LIFECYCLE_PREPARING_UPDATE;
		break;
	case 'l':
		v->lifecycle = LIFECYCLE_PREPARING_NORMAL;
		break;
	case 'g':
		v->has_grace = true;
		v->grace_end = NOW + 7;
		break;
	case 'i':
		v->inplace = INPLACE_WAITING;
		break;
	case 'b':
		v->inplace = INPLACE_BROKEN;
		break;
	}
}

#define BAD_IMAGE                                                                          \
	"'status':{'containerStatuses':[{'name':'main','ready':false,'state':{'waiting':{" \
	"'reason':'ImagePullBackOff','message':'Back-off pulling image \\\"x:broken\\\"'}}}]}"

static void add_pod(arena *a, struct world *w, const char *name, size_t n_name, const char *letters,
		    size_t n)
{
	size_t i = w->n++;
	bool hooked = memchr(letters, 'h', n) != NULL;

	snprintf(w->names[i], sizeof(w->names[i]), "%.*s", (int)n_name, name);
	w->views[i] = a_pod(w->names[i], "x-old");
	for (size_t k = 0; k < n; k++)
		letter(&w->views[i], letters[k]);
	w->pods[i] = &w->views[i];
	w->objects[i] = js(
	    a, hooked ? "{'metadata':{'labels':{'hold':'yes'},'finalizers':['f/f'],'annotations':{"
			"'lifecycle.apps.kruise.io/timestamp':'2027-01-15T07:00:00Z'}}," BAD_IMAGE
			"}"
		      : "{" BAD_IMAGE "}");
}

static void make(arena *a, struct world *w, const char *spec, const char *text)
{
	struct gates g = gates_default();
	val *cloneset = arena_alloc(a, sizeof(*cloneset));
	const struct cloneset_scale_plan *s = &w->scale;

	*w = (struct world){0};
	while (*text) {
		size_t n = strcspn(text, " "), colon = strcspn(text, ":");

		add_pod(a, w, text, colon, text + colon + 1, n - colon - 1);
		text += n + (text[n] == ' ');
	}
	*cloneset = val_map();
	val_set(a, cloneset, "spec", js(a, spec));
	assert_int_equal(cloneset_spec_from(cloneset, &g, false, &w->spec, NULL), 0);
	w->st = cloneset_classify(a, &w->spec, w->pods, w->n, "x-old", "x-new", NOW);
	w->c = cloneset_count(&w->spec, &w->st);
	w->scale = cloneset_scale(a, &w->spec, &w->st, &w->c, NULL);
	w->update = cloneset_update(a, &w->spec, &w->st, &w->c, NULL);
	bool acts = s->cancel.n + s->remove.n + (size_t)(s->create_old + s->create_new) > 0;
	w->x = (struct cloneset_explain){.spec = &w->spec,
					 .st = &w->st,
					 .c = &w->c,
					 .scale = &w->scale,
					 .update = acts ? NULL : &w->update,
					 .object = object,
					 .userdata = w};
}

#define HOOKS                                                                         \
	"'lifecycle':{'preDelete':{'labelsHandler':{'hold':'yes'}},'inPlaceUpdate':{" \
	"'finalizersHandler':['f/f']},'preNormal':{'labelsHandler':{'go':'yes'}}}"
#define BECAUSE                                                                               \
	" (not ready since 2027-01-15T07:58:20Z: container main: ImagePullBackOff: Back-off " \
	"pulling image \"x:broken\")"

static const struct row {
	const char *spec, *pods, *scale_error, *update_error;
	const char *name, *text;
	const char *steps; /* of the pods, in order */
} rows[] = {
    {"{'replicas':2}", "a:n b:n", NULL, NULL, "Complete", "2 pods are as they should be",
     "done done"},
    {"{'replicas':0}", "", NULL, NULL, "Complete", "0 pods are as they should be", ""},
    {"{'replicas':3}", "a:n", NULL, NULL, "RolloutProgressing", "2 pods to be created now", "done"},
    {"{'replicas':1}", "a:n b:n", NULL, NULL, "RolloutProgressing", "1 pod to be deleted now",
     "delete done"},
    {"{'replicas':4}", "a:o b:o c:o d:o", NULL, NULL, "RolloutProgressing",
     "1 pod to be updated now", "update update-waits update-waits update-waits"},
    /* the partition */
    {"{'replicas':3,'updateStrategy':{'partition':2}}", "a:n b:o c:o", NULL, NULL,
     "RolloutPartitionReached", "1 of 3 pods are updated and available, partition keeps 2 at x-old",
     "done partition partition"},
    {"{'replicas':3,'updateStrategy':{'partition':2}}", "a:n b:o c:oU", NULL, NULL,
     "RolloutPartitionReached", "1 of 3 pods are updated and available, partition keeps 2 at x-old",
     "done partition partition"},
    {"{'replicas':3,'updateStrategy':{'partition':2}}", "a:nU b:o c:o", NULL, NULL,
     "PodsNotAvailable", "1 pod is not available: a" BECAUSE, "not-ready partition partition"},
    /* maxUnavailable */
    {"{'replicas':3,'updateStrategy':{'maxUnavailable':1}}", "a:nU b:o c:o", NULL, NULL,
     "RolloutWaiting",
     "2 pods wait to be updated: maxUnavailable lets 1 be unavailable, used up by a" BECAUSE,
     "not-ready update-waits update-waits"},
    {"{'replicas':2,'updateStrategy':{'maxUnavailable':0}}", "a:n b:o", NULL, NULL,
     "RolloutWaiting", "1 pod waits to be updated: maxUnavailable allows no pod to be unavailable",
     "done update-waits"},
    {"{'replicas':6,'updateStrategy':{'maxUnavailable':5}}", "a:nU b:nU c:nU d:nU e:nU f:o", NULL,
     NULL, "RolloutWaiting",
     "1 pod waits to be updated: maxUnavailable lets 5 be unavailable, used up by a" BECAUSE
     ", b" BECAUSE ", c" BECAUSE " and 2 more",
     "not-ready not-ready not-ready not-ready not-ready update-waits"},
    {"{'replicas':2,'minReadySeconds':10,'updateStrategy':{'maxUnavailable':1}}", "a:na b:o", NULL,
     NULL, "RolloutWaiting",
     "1 pod waits to be updated: maxUnavailable lets 1 be unavailable, used up by a (available "
     "at 2027-01-15T08:00:05Z)",
     "min-ready update-waits"},
    {"{'replicas':2," HOOKS "}", "a:nl b:n", NULL, NULL, "PodsNotAvailable",
     "1 pod is not available: a (PreparingNormal, until the hook preNormal is on the pod)",
     "lifecycle done"},
    {"{'replicas':2}", "a:nuib b:n", NULL, NULL, "PodsNotAvailable", NULL, "broken done"},
    {"{'replicas':2}", "a:nui b:n", NULL, NULL, "PodsNotAvailable", NULL, "in-place done"},
    /* paused, OnDelete */
    {"{'replicas':2,'updateStrategy':{'paused':true}}", "a:o b:o", NULL, NULL, "RolloutPaused",
     "2 pods wait to be updated: the update is paused", "paused paused"},
    {"{'replicas':2,'updateStrategy':{'paused':true}}", "a:n b:n", NULL, NULL, "Complete", NULL,
     "done done"},
    {"{'replicas':2,'updateStrategy':{'paused':true}}", "a:o", NULL, NULL, "RolloutProgressing",
     "1 pod to be created now", "update-later"},
    {"{'replicas':2,'updateStrategy':{'type':'OnDelete'}}", "a:o b:n", NULL, NULL,
     "RolloutOnDelete", "1 pod waits to be deleted by the user: the type is OnDelete",
     "on-delete done"},
    /* a grace period */
    {"{'replicas':2,'updateStrategy':{'maxUnavailable':1}}", "a:nug b:o", NULL, NULL,
     "RolloutInGracePeriod", NULL, "grace update-waits"},
    /* hooks */
    {"{'replicas':1," HOOKS "}", "a:n b:nph", NULL, NULL, "RolloutHeldByHook",
     "1 pod waits to be deleted: the hook preDelete holds b (label hold=yes since "
     "2027-01-15T07:00:00Z)",
     "done delete-hook"},
    {"{'replicas':1," HOOKS "}", "a:n b:np", NULL, NULL, "RolloutProgressing",
     "1 pod to be deleted now", "done delete"},
    {"{'replicas':1," HOOKS "}", "a:owh", NULL, NULL, "RolloutHeldByHook",
     "1 pod waits to be updated: the hook inPlaceUpdate holds a (finalizer f/f since "
     "2027-01-15T07:00:00Z)",
     "update-hook"},
    {"{'replicas':1," HOOKS "}", "a:ow", NULL, NULL, "RolloutProgressing",
     "1 pod to be updated now", "update"},
    {"{'replicas':2," HOOKS "}", "a:np b:n c:n", NULL, NULL, "RolloutProgressing",
     "1 pod to be deleted now", "delete done done"},
    /* a deletion that waits */
    {"{'replicas':2,'updateStrategy':{'maxUnavailable':1}}", "a:nx b:nU", NULL, NULL,
     "ScaleDownWaiting",
     "1 ready pod waits to be deleted: maxUnavailable (1) is used up by a (to be deleted), "
     "b" BECAUSE,
     "delete-waits not-ready"},
    /* refused */
    {"{'replicas':2}", "a:n", "pods \"x-b\" is forbidden: exceeded quota: q", NULL, "ScaleRefused",
     "1 pod cannot be created: pods \"x-b\" is forbidden: exceeded quota: q", "done"},
    {"{'replicas':1}", "a:o", NULL, "admission webhook denied\nthe request", "UpdateRefused",
     "pods cannot be updated: admission webhook denied the request", "update-refused"},
    /* creation that waits */
    {"{'replicas':9,'scaleStrategy':{'maxUnavailable':1}}", "a:nU", NULL, NULL, "ScaleUpLimited",
     "8 pods wait to be created: scaleStrategy.maxUnavailable (1) is used up by a" BECAUSE,
     "not-ready"},
};

static struct str opt(const char *s)
{
	return s ? str_of(s) : (struct str){0};
}

static void step_names(arena *a, struct world *w, struct buf *out)
{
	enum cloneset_step *steps = cloneset_steps(a, &w->x);

	for (size_t i = 0; i < w->n; i++)
		buf_printf(out, "%s%s", i ? " " : "", cloneset_step_name(steps[i]));
}

/* covers: cloneset:B2 */
static void verdicts(void **state)
{
	static struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf text = {0}, steps = {0};
		const struct row *r = &rows[i];
		struct cloneset_verdict v;

		make(a, &w, r->spec, r->pods);
		w.x.scale_error = opt(r->scale_error);
		w.x.update_error = opt(r->update_error);
		v = cloneset_verdict(&w.x);
		cloneset_verdict_text(&text, &w.x, &v);
		step_names(a, &w, &steps);
		print_message("%s | %s\n  %s: %s\n  %s\n", r->spec, r->pods,
			      cloneset_stand_name(v.stand), buf_str(&text), buf_str(&steps));
		assert_string_equal(cloneset_stand_name(v.stand), r->name);
		if (r->text)
			assert_string_equal(buf_str(&text), r->text);
		assert_string_equal(buf_str(&steps), r->steps);
	}
}

static const char *detail(arena *a, struct world *w, size_t i)
{
	_cleanup_buf_ struct buf b = {0};

	cloneset_pod_detail(&b, &w->x, cloneset_steps(a, &w->x)[i], i, 1000);
	return arena_strndup(a, buf_str(&b), b.len);
}

/* covers: cloneset:B2 */
static void details(void **state)
{
	static struct world w;
	_cleanup_arena_ arena *a = arena_new();

	(void)state;
	make(a, &w, "{'replicas':4,'updateStrategy':{'maxUnavailable':4}}", "a:ng b:nUi c:n d:oU");
	w.objects[1] =
	    js(a, "{'metadata':{'annotations':{'apps.kruise.io/inplace-update-state':'{"
		  "\\'lastContainerStatuses\\':{\\'main\\':{\\'imageID\\':\\'i\\'}}}'}},'spec':{"
		  "'containers':[{'name':'main','image':'x:broken'}]}," BAD_IMAGE "}");
	assert_string_equal(detail(a, &w, 0), "until 2027-01-15T08:00:07Z");
	assert_string_equal(
	    detail(a, &w, 1),
	    "container main does not run image x:broken yet; not ready since "
	    "2027-01-15T07:58:20Z: container main: ImagePullBackOff: Back-off pulling "
	    "image \"x:broken\"");
	assert_string_equal(detail(a, &w, 2), "");
	assert_non_null(strstr(detail(a, &w, 3), "ImagePullBackOff"));
	/* an object that cannot be read any more */
	w.x.object = NULL;
	assert_string_equal(detail(a, &w, 3), "not ready since 2027-01-15T07:58:20Z");
}

/* One process's life with one set: what is said, sync by sync. */
struct step_of_life {
	const char *spec, *pods;
	const char *said; /* NULL: nothing */
	int64_t again;
};

static void live(const struct step_of_life *life, size_t n, bool seen)
{
	static struct world w;
	struct cloneset_said said = {0};

	for (size_t i = 0; i < n; i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct cloneset_verdict v;
		int64_t again = 0;
		bool news;

		make(a, &w, life[i].spec, life[i].pods);
		v = cloneset_verdict(&w.x);
		news = cloneset_verdict_is_news(&said, &w.x, &v, seen, &again);
		print_message("%s: %s %s\n", life[i].pods, cloneset_stand_name(v.stand),
			      news ? "(said)" : "");
		assert_int_equal(news, life[i].said != NULL);
		if (news)
			assert_string_equal(cloneset_stand_name(v.stand), life[i].said);
		assert_int_equal(again, life[i].again);
	}
}
#define LIVE(life, seen) live(life, sizeof(life) / sizeof((life)[0]), seen)

#define ONE "{'replicas':3,'updateStrategy':{'maxUnavailable':1}}"
#define PAUSED "{'replicas':3,'updateStrategy':{'maxUnavailable':1,'paused':true}}"
#define PART "{'replicas':3,'updateStrategy':{'maxUnavailable':1,'partition':1}}"

/* covers: cloneset:B2 */
static void said_once(void **state)
{
	/* an ordinary roll-out has nothing to say */
	static const struct step_of_life ordinary[] = {
	    {ONE, "a:o b:o c:o", NULL, 0}, {ONE, "a:nu b:o c:o", NULL, 20},
	    {ONE, "a:n b:o c:o", NULL, 0}, {ONE, "a:n b:nu c:o", NULL, 20},
	    {ONE, "a:n b:n c:o", NULL, 0}, {ONE, "a:n b:n c:nu", NULL, 20},
	    {ONE, "a:n b:n c:n", NULL, 0},
	};
	/* a slow one says once that it waits, whoever it waits for; so does the next revision's end
	 */
	static const struct step_of_life slow[] = {
	    {ONE, "a:nu b:o c:o", NULL, 20}, {ONE, "a:nU b:o c:o", "RolloutWaiting", 0},
	    {ONE, "a:nU b:o c:o", NULL, 0},  {ONE, "a:n b:o c:o", NULL, 0},
	    {ONE, "a:n b:nU c:o", NULL, 0},  {ONE, "a:n b:n c:nU", "PodsNotAvailable", 0},
	    {ONE, "a:n b:n c:n", NULL, 0},   {ONE, "a:n b:n c:nU", "PodsNotAvailable", 0},
	};
	/* the user's stops are said each time that the roll-out has gone on between */
	static const struct step_of_life stops[] = {
	    {PAUSED, "a:o b:o c:o", "RolloutPaused", 0},
	    {PAUSED, "a:o b:ou c:o", NULL, 0},
	    {PAUSED, "a:o b:o c:o", NULL, 0},
	    {PART, "a:o b:o c:o", NULL, 0},
	    {PART, "a:nu b:o c:o", NULL, 20},
	    {PART, "a:n b:o c:o", NULL, 0},
	    {PART, "a:n b:n c:o", "RolloutPartitionReached", 0},
	    {PART, "a:n b:nu c:o", NULL, 20},
	    {PART, "a:n b:n c:o", NULL, 0},
	    {ONE, "a:n b:n c:o", NULL, 0},
	    {PAUSED, "a:n b:n c:o", "RolloutPaused", 0},
	};
	(void)state;
	LIVE(ordinary, false);
	LIVE(slow, false);
	LIVE(stops, false);
}

/* covers: cloneset:B2 */
static void not_again_after_a_restart(void **state)
{
	static const struct step_of_life paused[] = {
	    {PAUSED, "a:o b:o c:o", NULL, 0},
	    {PAUSED, "a:o b:o c:o", NULL, 0},
	    {ONE, "a:o b:o c:o", NULL, 0},
	    {PAUSED, "a:nu b:o c:o", "RolloutPaused", 0},
	};
	static const struct step_of_life stuck[] = {
	    {ONE, "a:nU b:o c:o", NULL, 0},
	    {ONE, "a:nU b:o c:o", NULL, 0},
	};
	/* what had not lasted long enough for the former process is for this one to say */
	static const struct step_of_life young[] = {
	    {ONE, "a:nu b:o c:o", NULL, 20},
	    {ONE, "a:nU b:o c:o", "RolloutWaiting", 0},
	};
	(void)state;
	LIVE(paused, true);
	LIVE(stuck, true);
	LIVE(young, true);
}

/* covers: cloneset:B1 cloneset:B2 */
static void objects_are_read_for_few_pods_only(void **state)
{
	static struct world w;
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf pods = {0}, text = {0};
	struct cloneset_verdict v;

	(void)state;
	for (int i = 0; i < 500; i++)
		buf_printf(&pods, "%sp%d:nU", i ? " " : "", i);
	make(a, &w, "{'replicas':500}", buf_str(&pods));
	v = cloneset_verdict(&w.x);
	assert_int_equal(w.asked, 0);
	cloneset_verdict_text(&text, &w.x, &v);
	assert_true(w.asked <= 3);
	assert_non_null(strstr(buf_str(&text), "500 pods are not available"));
	assert_non_null(strstr(buf_str(&text), "and 497 more"));
	assert_true(text.len < 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(verdicts),
	    cmocka_unit_test(details),
	    cmocka_unit_test(said_once),
	    cmocka_unit_test(not_again_after_a_restart),
	    cmocka_unit_test(objects_are_read_for_few_pods_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
