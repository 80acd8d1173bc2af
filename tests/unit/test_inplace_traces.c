/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/jsonpatch.h"
#include "rules/cloneset_scale.h"
#include "rules/inplace.h"
#include "rules/podreadiness.h"
#include "rules/revision.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"
#include "tests/unit/smp.h"

/*
 * Replays what a running OpenKruise wrote to a pod. What others wrote (kubelet, scheduler) is
 * applied to our pod as recorded; where a record shows a write of the controllers, ours is made and
 * must lead to the recorded labels, annotations, images and conditions, times apart.
 */
struct replay {
	arena *a;
	val pod;      /* ours, or null before it is created */
	val want;     /* what the trace has shown so far */
	val cloneset; /* as it is now */
	val old_template;
	char *revision; /* target, full name */
	bool updating;	/* the step has been taken */
	size_t own_writes;
};

/* Times become "T", whatever their value. */
static val without_times(arena *a, const val *v)
{
	static const char *const timed[] = {"timestamp", "updateTimestamp",
					    ANNO_LIFECYCLE_TIMESTAMP};
	val copy = val_copy(a, v);

	for (size_t i = 0; val_is_map(&copy) && i < val_len(&copy); i++) {
		struct str key = val_key(&copy, i);
		char *k = arena_strndup(a, key.p, key.n);
		bool is_time = false;

		for (size_t t = 0; t < 3; t++)
			is_time |= str_is(key, timed[t]);
		val_set(a, &copy, k,
			is_time ? val_of_str("T") : without_times(a, val_value(&copy, i)));
	}
	for (size_t i = 0; val_is_array(&copy) && i < val_len(&copy); i++)
		*val_at_mut(&copy, i) = without_times(a, val_at(&copy, i));
	return copy;
}

static void text_or_empty(arena *a, val *list, const val *v)
{
	val_push(a, list, val_is_str(v) ? *v : val_of_str(""));
}

/* A pod in the shape of the traces, without finalizers and deletionTimestamp. */
static val shape(arena *a, const val *pod)
{
	val out = val_map(), images = val_map(), conditions = val_map(), annotations;
	const val *list = val_path(pod, "spec", "containers", NULL);
	const val *state;

	for (size_t i = 0; i < val_len(list); i++)
		val_setn(a, &images, val_str(val_get(val_at(list, i), "name")),
			 *val_get(val_at(list, i), "image"));
	list = val_path(pod, "status", "conditions", NULL);
	for (size_t i = 0; i < val_len(list); i++) {
		const val *c = val_at(list, i);
		val triple = val_array();

		text_or_empty(a, &triple, val_get(c, "status"));
		text_or_empty(a, &triple, val_get(c, "reason"));
		text_or_empty(a, &triple, val_get(c, "message"));
		val_setn(a, &conditions, val_str(val_get(c, "type")), triple);
	}
	annotations = val_copy(a, val_path(pod, "metadata", "annotations", NULL));
	state = val_get(&annotations, ANNO_INPLACE_STATE);
	if (state) {
		val v;

		assert_int_equal(json_parse(a, val_str(state).p, val_str(state).n, &v, NULL), 0);
		val_set(a, &annotations, ANNO_INPLACE_STATE, v);
	}
	val_set(a, &out, "labels", *val_path(pod, "metadata", "labels", NULL));
	val_set(a, &out, "annotations", annotations);
	val_set(a, &out, "images", images);
	val_set(a, &out, "conditions", conditions);
	return without_times(a, &out);
}

static void check_same(struct replay *r)
{
	static const char *const parts[] = {"labels", "annotations", "images", "conditions"};
	val have = shape(r->a, &r->pod), want = without_times(r->a, &r->want);

	for (size_t i = 0; i < 4; i++) {
		if (val_equal(val_get(&have, parts[i]), val_get(&want, parts[i])))
			continue;
		print_message("%s: have %s\n", parts[i],
			      json_str(r->a, val_get(&have, parts[i]), JSON_SORTED));
		print_message("%s: want %s\n", parts[i],
			      json_str(r->a, val_get(&want, parts[i]), JSON_SORTED));
		fail();
	}
}

/* What the pod webhook adds, as far as it matters here. */
static void as_webhook(struct replay *r)
{
	val gate = js(r->a, "{'conditionType':'KruisePodReady'}");
	val *containers = val_path_mut(&r->pod, "spec", "containers", NULL);

	val_push(r->a, val_path_mut(&r->pod, "spec", "readinessGates", NULL), gate);
	for (size_t i = 0; val_len(containers) > 1 && i < val_len(containers); i++) {
		val *c = val_at_mut(containers, i);
		bool side = val_is(val_get(c, "name"), "side");
		val env = js(r->a, side ? "{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':"
					  "{'configMapKeyRef':{'name':'x','key':'p_10'}}}"
					: "{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':"
					  "{'configMapKeyRef':{'name':'x','key':'p_0'}}}");

		if (!val_get(c, "env"))
			val_set(r->a, c, "env", val_array());
		val_push(r->a, val_get_mut(c, "env"), env);
	}
}

static void create(struct replay *r, const val *record, const val *changed)
{
	struct str name = val_str(val_get(record, "pod"));
	struct str id = revision_short(name);
	val template = *val_path(&r->cloneset, "spec", "template", NULL), pod;

	r->revision = val_cstr(r->a, val_path(changed, "labels", LABEL_REVISION_HASH, NULL));
	assert_int_equal(cloneset_new_pod(r->a, &r->cloneset, &template, str_of(r->revision),
					  arena_strndup(r->a, id.p, id.n), NOW, false, &pod, NULL),
			 0);
	assert_true(str_eq(val_str(val_path(&pod, "metadata", "name", NULL)), name));
	r->pod = val_copy(r->a, &pod);
	as_webhook(r);
	val_set(r->a, &r->pod, "status", js(r->a, "{'phase':'Running','conditions':[]}"));
}

/* Conditions and container statuses as the record has them. */
static void apply_theirs(struct replay *r, const val *changed)
{
	const val *conditions = val_get(changed, "conditions");
	const val *containers = val_get(changed, "containers");
	val list = val_array(), statuses = val_array();
	val *status = val_get_mut(&r->pod, "status");

	/* the traces do not show the binding, which comes first whatever the condition says */
	val_set(r->a, val_get_mut(&r->pod, "spec"), "nodeName", val_of_str("n"));
	for (size_t i = 0; i < val_len(conditions); i++) {
		const val *triple = val_value(conditions, i);
		val c = val_map();

		val_set(r->a, &c, "type", val_of_strn(val_key(conditions, i)));
		val_set(r->a, &c, "status", *val_at(triple, 0));
		val_set(r->a, &c, "reason", *val_at(triple, 1));
		val_set(r->a, &c, "message", *val_at(triple, 2));
		val_push(r->a, &list, c);
	}
	if (conditions)
		val_set(r->a, status, "conditions", list);
	for (size_t i = 0; i < val_len(containers); i++) {
		val c = val_copy(r->a, val_value(containers, i));

		val_set(r->a, &c, "name", val_of_strn(val_key(containers, i)));
		val_push(r->a, &statuses, c);
	}
	if (containers)
		val_set(r->a, status, "containerStatuses", statuses);
}

static val revision(arena *a, const val *template)
{
	val r = val_map();

	val_set(a, val_ensure_map(a, val_ensure_map(a, &r, "data"), "spec"), "template", *template);
	return r;
}

static val update_patch(struct replay *r)
{
	struct inplace_spec spec;
	struct inplace_update u = {
	    .pod = &r->pod,
	    .spec = &spec,
	    .revision = str_of(r->revision),
	    .template_hash = true,
	    .set_lifecycle = true,
	    .now = NOW + 8,
	};
	val patch;

	if (inplace_needs_not_ready(&r->pod))
		return inplace_not_ready_patch(r->a, &r->pod, NOW + 8);
	val old = revision(r->a, &r->old_template);
	val new = revision(r->a, val_path(&r->cloneset, "spec", "template", NULL));

	inplace_spec_from(r->a, &old, &new, &(struct inplace_options){0}, &spec);
	assert_true(spec.possible);
	assert_int_equal(inplace_update_patch(r->a, &u, &patch, NULL), 0);
	return patch;
}

/* What the cloneset worker would write to the pod now. */
static val next_write(struct replay *r, const struct pod_view *v)
{
	bool at_target = revision_matches(str_of(v->revision), str_of(r->revision));
	enum lifecycle_state next;
	val patch;

	switch (inplace_refresh(v, NOW)) {
	case INPLACE_SET_READY:
		/* a condition that is False while R7 is outstanding is not touched here */
		if (v->cond_inplace == COND_FALSE && !at_target)
			break;
		return inplace_ready_patch(r->a, str_of(v->uid), str_of(v->rv), NOW);
	case INPLACE_WRITE_NEXT:
		assert_int_equal(inplace_next_batch_patch(r->a, &r->pod, NOW, &patch, NULL), 0);
		return patch;
	default:
		break;
	}
	next = lifecycle_next(v->lifecycle, v->scheduled, at_target,
			      v->inplace == INPLACE_WAITING ? LIFECYCLE_UPDATE_PENDING
							    : LIFECYCLE_UPDATE_COMPLETE,
			      NULL, &r->pod);
	if (next != v->lifecycle)
		return lifecycle_patch(r->a, next, NOW, str_of(v->rv));
	assert_false(at_target);
	return update_patch(r);
}

static void apply_ours(struct replay *r)
{
	struct pod_view v;
	val patch;

	pod_view_from(&r->pod, &v);
	patch = next_write(r, &v);
	smp_apply(r->a, &r->pod, &patch);
	pod_view_free(&v);
	r->own_writes++;
}

/* Whether the record shows a write of the CloneSet controller. */
static bool is_ours(const struct replay *r, const val *changed)
{
	const val *before = val_path(&r->want, "conditions", "InPlaceUpdateReady", NULL);
	const val *after = val_path(changed, "conditions", "InPlaceUpdateReady", NULL);

	return val_get(changed, "labels") || val_get(changed, "annotations") ||
	       val_get(changed, "images") ||
	       (val_get(changed, "conditions") && !val_equal(before, after));
}

static void take_step(struct replay *r, const val *trace)
{
	val after;

	r->old_template = *val_path(&r->cloneset, "spec", "template", NULL);
	assert_int_equal(
	    jsonpatch_apply(r->a, &r->cloneset, val_at(val_get(trace, "steps"), 0), &after, NULL),
	    0);
	r->cloneset = after;
	r->revision = val_cstr(r->a, val_path(trace, "status", "updateRevision", NULL));
	r->updating = true;
}

static void replay_record(struct replay *r, const val *trace, const val *record)
{
	const val *changed = val_get(record, "changed");
	const val *ready = val_path(changed, "conditions", "InPlaceUpdateReady", NULL);

	if (!r->updating && val_is(val_at(ready, 0), "False"))
		take_step(r, trace);
	if (val_is_null(&r->pod)) {
		create(r, record, changed);
	} else if (is_ours(r, changed)) {
		apply_ours(r);
	} else if (val_path(changed, "conditions", "KruisePodReady", NULL) &&
		   podreadiness_needs_init(&r->pod) && !val_get(changed, "containers")) {
		val patch = podreadiness_init_patch(r->a, &r->pod, NOW);

		smp_apply(r->a, &r->pod, &patch);
	} else {
		apply_theirs(r, changed);
	}
	for (size_t i = 0; i < val_len(changed); i++)
		val_setn(r->a, &r->want, val_key(changed, i), *val_value(changed, i));
	check_same(r);
}

static size_t replay_trace(arena *a, const val *trace, struct str pod)
{
	struct replay r = {.a = a, .pod = val_null(), .want = val_map()};
	const val *records = val_get(trace, "trace");

	r.cloneset = val_copy(a, val_get(trace, "cloneset"));
	val_set(a, val_get_mut(&r.cloneset, "metadata"), "uid", val_of_str("u"));
	for (size_t i = 0; i < val_len(records); i++) {
		const val *record = val_at(records, i);

		if (!str_eq(val_str(val_get(record, "pod")), pod) ||
		    val_is(val_get(record, "type"), "DELETED"))
			continue;
		print_message("  record %zu\n", i);
		replay_record(&r, trace, record);
	}
	return r.own_writes;
}

static const val *trace_of(const val *traces, const char *name)
{
	const val *t = val_find(traces, "name", str_of(name));

	assert_non_null(t);
	return t;
}

/* covers: inplace:R4 inplace:R6 inplace:R7 inplace:R8 inplace:R12 inplace:R17 inplace:L4 inplace:S6
 */
/* Updates in place: image, metadata, two images in two batches. */
static void in_place(void **state)
{
	static const struct {
		const char *name;
		size_t writes; /* ready, Normal | not ready, update, [batch 2], ready, Normal */
	} table[] = {{"inplace-image", 6}, {"inplace-metadata", 6}, {"inplace-priority", 7}};
	_cleanup_arena_ arena *a = arena_new();
	val traces = load_cases(a, "tests/data/cloneset/traces.json");

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const val *t = trace_of(&traces, table[i].name);
		struct str pod = val_str(val_get(val_at(val_get(t, "trace"), 0), "pod"));

		print_message("%s\n", table[i].name);
		assert_int_equal(replay_trace(a, t, pod), table[i].writes);
	}
}

/* covers: inplace:R1 inplace:S18 */
/* A change of env does not go in place: the pod is marked, deleted and replaced. */
static void fallback(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val traces = load_cases(a, "tests/data/cloneset/traces.json"), after, patch, pod;
	const val *t = trace_of(&traces, "fallback-recreate");
	const val *records = val_get(t, "trace");
	const val *first = val_at(records, 0), *marked = NULL, *second = NULL;
	val cloneset = val_copy(a, val_get(t, "cloneset"));
	struct replay r = {.a = a, .cloneset = cloneset};
	struct inplace_spec spec;

	(void)state;
	val_set(a, val_get_mut(&r.cloneset, "metadata"), "uid", val_of_str("u"));
	create(&r, first, val_get(first, "changed"));
	r.want = *val_get(first, "changed");
	check_same(&r);
	assert_int_equal(
	    jsonpatch_apply(a, &cloneset, val_at(val_get(t, "steps"), 0), &after, NULL), 0);
	val from = revision(a, val_path(&cloneset, "spec", "template", NULL));
	val to = revision(a, val_path(&after, "spec", "template", NULL));
	inplace_spec_from(a, &from, &to, &(struct inplace_options){0}, &spec);
	assert_false(spec.possible);
	assert_non_null(strstr(spec.why_not, "template.spec.containers[0].env"));

	for (size_t i = 1; i < val_len(records); i++) {
		const val *c = val_get(val_at(records, i), "changed");

		if (val_path(c, "labels", LABEL_SPECIFIED_DELETE, NULL))
			marked = c;
		if (val_is(val_get(val_at(records, i), "type"), "ADDED"))
			second = val_at(records, i);
	}
	pod = r.pod;
	val_set(a, val_path_mut(&pod, "metadata", "labels", NULL), LABEL_LIFECYCLE_STATE,
		val_of_str("Normal"));
	patch = cloneset_specified_delete_patch(a, str_of("u"));
	smp_apply(a, &pod, &patch);
	assert_true(
	    val_equal(val_path(&pod, "metadata", "labels", NULL), val_get(marked, "labels")));

	r.cloneset = after;
	create(&r, second, val_get(second, "changed"));
	r.want = *val_get(second, "changed");
	check_same(&r);
}

/* A rollout in steps of partition: every pod goes the same way. */
static void partition(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val traces = load_cases(a, "tests/data/cloneset/traces.json");
	const val *t = trace_of(&traces, "partition-roll");
	const val *records = val_get(t, "trace");
	size_t pods = 0;

	(void)state;
	for (size_t i = 0; i < val_len(records); i++) {
		struct str pod = val_str(val_get(val_at(records, i), "pod"));

		if (!val_is(val_get(val_at(records, i), "type"), "ADDED"))
			continue;
		print_message("%.*s\n", STR_ARG(pod));
		assert_int_equal(replay_trace(a, t, pod), 6);
		pods++;
	}
	assert_int_equal(pods, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_place),
	    cmocka_unit_test(fallback),
	    cmocka_unit_test(partition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
