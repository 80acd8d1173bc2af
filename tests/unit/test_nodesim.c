/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated kubelet's decisions: a pod's versions and a clock go in, status patches come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kube/json.h"
#include "tests/cluster/nodesim/adopt.c"
#include "tests/cluster/nodesim/faults.c"
#include "tests/cluster/nodesim/runtime.c"
#include "tests/cluster/nodesim/status.c"

static const struct sim_times times = {
    .start = 300000, .init = 100000, .restart = 200000, .kill = 100000};

/* One pod, its kubelet, and the time. */
struct world {
	arena *a;
	val pod;
	struct sim_runtime rt;
	uint64_t usec;
	uint64_t next; /* when it wants to be looked at */
};

static val parse(arena *a, const char *json)
{
	val v;
	struct err e = {0};
	if (json_parse(a, json, strlen(json), &v, &e) < 0)
		fail_msg("%s in %s", e.msg, json);
	return v;
}

static struct sim_now now_of(const struct world *w)
{
	return (struct sim_now){w->usec, 1800000000 + (int64_t)(w->usec / 1000000)};
}

static void load(struct world *w, const char *json)
{
	const val v = parse(w->a, json);
	w->pod = val_copy(w->a, &v);
}

static void begin(struct world *w, const char *json)
{
	*w = (struct world){.a = arena_new(), .usec = 5000000};
	load(w, json);
	sim_runtime_init(&w->rt, &w->pod, &times, now_of(w));
}

static void finish(struct world *w)
{
	sim_runtime_free(&w->rt);
	arena_free(w->a);
}

/* What a strategic merge of a pod status does with our patches. */
static void apply(struct world *w, const val *patch)
{
	const val *from = val_get(patch, "status");
	val *to = val_ensure_map(w->a, &w->pod, "status");
	for (size_t i = 0; i < val_len(from); i++) {
		const val copy = val_copy(w->a, val_value(from, i));
		if (!str_is(val_key(from, i), "conditions")) {
			val_setn(w->a, to, val_key(from, i), copy);
			continue;
		}
		if (!val_get(to, "conditions"))
			val_set(w->a, to, "conditions", val_array());
		val *list = val_get_mut(to, "conditions");
		for (size_t k = 0; k < val_len(&copy); k++) {
			const val *c = val_at(&copy, k);
			val *have = NULL;
			for (size_t j = 0; j < val_len(list); j++)
				if (str_eq(val_str(val_get(val_at(list, j), "type")),
					   val_str(val_get(c, "type"))))
					have = val_at_mut(list, j);
			if (!have) {
				val_push(w->a, list, *c);
				continue;
			}
			for (size_t j = 0; j < val_len(c); j++) {
				if (val_is_null(val_value(c, j)))
					val_del(have, arena_strndup(w->a, val_key(c, j).p,
								    val_key(c, j).n));
				else
					val_setn(w->a, have, val_key(c, j), *val_value(c, j));
			}
		}
	}
}

/* Looks at the pod; applies and returns the patch, NULL when there is none. */
static const char *look(struct world *w)
{
	const struct sim_faults f = sim_faults_of(&w->pod);
	const struct sim_address at = {"10.128.0.1", "172.16.0.1"};
	val patch;
	w->next = sim_runtime_advance(&w->rt, &w->pod, &f, &times, now_of(w));
	if (!sim_status_patch(w->a, &w->pod, &w->rt, &f, at, now_of(w), &patch))
		return NULL;
	const char *text = json_str(w->a, &patch, 0);
	apply(w, &patch);
	/* what was just written must satisfy */
	val again;
	assert_false(sim_status_patch(w->a, &w->pod, &w->rt, &f, at, now_of(w), &again));
	return text;
}

static const char *look_at_next(struct world *w)
{
	assert_true(w->next > w->usec);
	w->usec = w->next;
	return look(w);
}

/* "True", "False:Reason", or "" of a condition. */
static const char *condition_of(struct world *w, const char *type)
{
	const val *c =
	    val_find(val_path(&w->pod, "status", "conditions", NULL), "type", str_of(type));
	const struct str reason = val_str(val_get(c, "reason"));
	return arena_printf(w->a, "%.*s%s%.*s", STR_ARG(val_str(val_get(c, "status"))),
			    reason.n ? ":" : "", STR_ARG(reason));
}

static const char *container(struct world *w, const char *name)
{
	const val *c =
	    val_find(val_path(&w->pod, "status", "containerStatuses", NULL), "name", str_of(name));
	const val *state = val_get(c, "state");
	return arena_printf(w->a, "%.*s %lld %s %.*s", STR_ARG(val_str(val_get(c, "imageID"))),
			    (long long)val_int_or(val_get(c, "restartCount"), -1),
			    val_bool(val_get(c, "ready")) ? "ready" : "unready",
			    STR_ARG(val_key(state, 0)));
}

static const char *waiting_reason(struct world *w)
{
	const val *c = val_at(val_path(&w->pod, "status", "containerStatuses", NULL), 0);
	return val_cstr(w->a, val_path(c, "state", "waiting", "reason", NULL));
}

static const char *phase(struct world *w)
{
	return val_cstr(w->a, val_path(&w->pod, "status", "phase", NULL));
}

#define POD(annotations, spec)                                                           \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p\",\"uid\":\"u1\","             \
	"\"annotations\":{" annotations "}},\"spec\":{\"nodeName\":\"sim-0\"," spec "}," \
	"\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\","  \
	"\"status\":\"True\"}]}}"
#define MAIN "\"containers\":[{\"name\":\"main\",\"image\":\"nginx:1\"}]"
#define GATES "\"readinessGates\":[{\"conditionType\":\"GateA\"},{\"conditionType\":\"GateB\"}]"

static void change_image(struct world *w, const char *image)
{
	val *spec = val_get_mut(&w->pod, "spec");
	val *c = val_at_mut(val_get_mut(spec, "containers"), 0);
	val_set(w->a, c, "image", val_of_str(image));
}

static void annotate(struct world *w, const char *key, const char *value)
{
	val *a = val_ensure_map(w->a, val_get_mut(&w->pod, "metadata"), "annotations");
	if (value)
		val_set(w->a, a, key, val_of_str(value));
	else
		val_del(a, key);
}

static void set_gate(struct world *w, const char *type, const char *status)
{
	val *conditions = val_get_mut(val_get_mut(&w->pod, "status"), "conditions");
	for (size_t i = 0; i < val_len(conditions); i++)
		if (val_is(val_get(val_at(conditions, i), "type"), type)) {
			val_set(w->a, val_at_mut(conditions, i), "status", val_of_str(status));
			return;
		}
	val c = val_map();
	val_set(w->a, &c, "type", val_of_str(type));
	val_set(w->a, &c, "status", val_of_str(status));
	val_push(w->a, conditions, c);
}

static void test_start(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("", MAIN));
	assert_null(look(&w));
	assert_int_equal(w.next - w.usec, times.start);
	assert_string_equal(
	    look_at_next(&w),
	    "{\"metadata\":{\"uid\":\"u1\"},\"status\":{\"phase\":\"Running\","
	    "\"hostIP\":\"172.16.0.1\",\"podIP\":\"10.128.0.1\",\"podIPs\":[{\"ip\":\"10.128.0."
	    "1\"}],\"startTime\":\"2027-01-15T08:00:05Z\",\"conditions\":["
	    "{\"type\":\"Initialized\",\"status\":\"True\",\"lastProbeTime\":null,"
	    "\"lastTransitionTime\":\"2027-01-15T08:00:05Z\"},"
	    "{\"type\":\"Ready\",\"status\":\"True\",\"lastProbeTime\":null,"
	    "\"lastTransitionTime\":\"2027-01-15T08:00:05Z\"},"
	    "{\"type\":\"ContainersReady\",\"status\":\"True\",\"lastProbeTime\":null,"
	    "\"lastTransitionTime\":\"2027-01-15T08:00:05Z\"}],"
	    "\"containerStatuses\":[{\"containerID\":\"sim://u1-main-0\",\"image\":\"nginx:1\","
	    "\"imageID\":\"sim://nginx:1\",\"lastState\":{},\"name\":\"main\",\"ready\":true,"
	    "\"restartCount\":0,\"started\":true,"
	    "\"state\":{\"running\":{\"startedAt\":\"2027-01-15T08:00:05Z\"}}}]}}");
	assert_int_equal(w.next, 0);
	assert_null(look(&w));
	finish(&w);
}

static void test_gates(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("", MAIN "," GATES));
	look(&w);
	assert_non_null(look_at_next(&w));
	assert_string_equal(condition_of(&w, "ContainersReady"), "True");
	assert_string_equal(condition_of(&w, "Ready"), "False:ReadinessGatesNotReady");
	const val *ready =
	    val_find(val_path(&w.pod, "status", "conditions", NULL), "type", str_of("Ready"));
	assert_true(val_is(val_get(ready, "message"),
			   "corresponding condition of pod readiness gate \"GateA\" does not "
			   "exist., corresponding condition of pod readiness gate \"GateB\" does "
			   "not exist."));

	set_gate(&w, "GateA", "True");
	set_gate(&w, "GateB", "False");
	assert_non_null(look(&w));
	ready = val_find(val_path(&w.pod, "status", "conditions", NULL), "type", str_of("Ready"));
	assert_true(val_is(val_get(ready, "message"), "the status of pod readiness gate \"GateB\" "
						      "is not \"True\", but False"));
	set_gate(&w, "GateB", "True");
	/* only Ready changes, and its old reason and message go */
	assert_string_equal(look(&w),
			    "{\"metadata\":{\"uid\":\"u1\"},\"status\":{\"conditions\":[{\"type\":"
			    "\"Ready\",\"status\":\"True\",\"lastProbeTime\":null,"
			    "\"lastTransitionTime\":\"2027-01-15T08:00:05Z\",\"reason\":null,"
			    "\"message\":null}]}}");
	assert_string_equal(condition_of(&w, "Ready"), "True");
	set_gate(&w, "GateA", "Unknown");
	look(&w);
	assert_string_equal(condition_of(&w, "Ready"), "False:ReadinessGatesNotReady");
	finish(&w);
}

static void test_image_change(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("", MAIN));
	look(&w);
	look_at_next(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:1 0 ready running");

	change_image(&w, "nginx:2");
	assert_non_null(look(&w));
	assert_string_equal(container(&w, "main"), "sim://nginx:1 0 unready terminated");
	assert_string_equal(condition_of(&w, "ContainersReady"), "False:ContainersNotReady");
	assert_string_equal(condition_of(&w, "Ready"), "False:ContainersNotReady");
	assert_string_equal(phase(&w), "Running");
	assert_int_equal(w.next - w.usec, times.restart);

	/* once more before the first restart: one restart, the newest image */
	change_image(&w, "nginx:3");
	assert_null(look(&w));
	assert_non_null(look_at_next(&w));
	assert_string_equal(container(&w, "main"), "sim://nginx:3 1 ready running");
	assert_string_equal(condition_of(&w, "Ready"), "True");
	const val *c = val_at(val_path(&w.pod, "status", "containerStatuses", NULL), 0);
	assert_true(val_is(val_get(c, "containerID"), "sim://u1-main-1"));
	assert_true(
	    val_is(val_path(c, "lastState", "terminated", "containerID", NULL), "sim://u1-main-0"));
	assert_null(look(&w));
	finish(&w);
}

static void test_init_containers(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("", MAIN ",\"initContainers\":[{\"name\":\"i0\",\"image\":\"a:1\"},"
			       "{\"name\":\"i1\",\"image\":\"b:1\"}]"));
	look(&w);
	assert_non_null(look_at_next(&w));
	assert_string_equal(phase(&w), "Pending");
	assert_string_equal(condition_of(&w, "Initialized"), "False:ContainersNotInitialized");
	assert_string_equal(waiting_reason(&w), "PodInitializing");
	assert_non_null(look_at_next(&w));
	const val *i0 = val_at(val_path(&w.pod, "status", "initContainerStatuses", NULL), 0);
	assert_true(val_bool(val_get(i0, "ready")));
	assert_true(val_is(val_path(i0, "state", "terminated", "reason", NULL), "Completed"));
	assert_string_equal(condition_of(&w, "Initialized"), "False:ContainersNotInitialized");
	assert_non_null(look_at_next(&w));
	assert_string_equal(condition_of(&w, "Initialized"), "True");
	assert_string_equal(condition_of(&w, "Ready"), "True");
	assert_string_equal(phase(&w), "Running");
	finish(&w);
}

static void test_never_ready(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("\"sim.kruised.io/never-ready\":\"true\","
		      "\"sim.kruised.io/start-delay\":\"1s\"",
		      MAIN));
	look(&w);
	assert_int_equal(w.next - w.usec, 1000000);
	look_at_next(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:1 0 unready running");
	assert_string_equal(condition_of(&w, "Ready"), "False:ContainersNotReady");
	annotate(&w, "sim.kruised.io/never-ready", NULL);
	look(&w);
	assert_string_equal(condition_of(&w, "Ready"), "True");
	finish(&w);
}

static void test_crash(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("\"sim.kruised.io/crash\":\"main\"", MAIN));
	look(&w);
	look_at_next(&w);
	assert_string_equal(waiting_reason(&w), "CrashLoopBackOff");
	assert_string_equal(phase(&w), "Running");
	for (int restarts = 1; restarts < 6; restarts++) {
		assert_non_null(look_at_next(&w));
		assert_string_equal(
		    container(&w, "main"),
		    arena_printf(w.a, "sim://nginx:1 %d unready waiting", restarts));
	}
	/* the back-off is bounded, and a new image does not wait for it */
	assert_int_equal(w.next - w.usec, CRASH_BACKOFF_MAX_USEC);
	annotate(&w, "sim.kruised.io/crash", NULL);
	change_image(&w, "nginx:2");
	assert_null(look(&w));
	assert_int_equal(w.next - w.usec, times.restart);
	look_at_next(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:2 6 ready running");
	finish(&w);
}

static void test_pull_error(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("\"sim.kruised.io/pull-error\":\"bad\"", MAIN));
	look(&w);
	look_at_next(&w);
	change_image(&w, "nginx:bad");
	look(&w);
	look_at_next(&w);
	/* what ran before stays in imageID */
	assert_string_equal(container(&w, "main"), "sim://nginx:1 0 unready waiting");
	assert_string_equal(waiting_reason(&w), "ErrImagePull");
	assert_int_equal(w.next, 0);
	change_image(&w, "nginx:3");
	look(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:3 1 ready running");
	finish(&w);
}

static void test_never_pulled(void **state)
{
	(void)state;
	static const char *const images[] = {"app:broken", "reg/nopull:1"};
	for (size_t i = 0; i < 2; i++) {
		struct world w;
		begin(&w, POD("", MAIN));
		change_image(&w, images[i]);
		look(&w);
		look_at_next(&w);
		assert_string_equal(phase(&w), "Pending");
		assert_string_equal(waiting_reason(&w), "ErrImagePull");
		assert_string_equal(container(&w, "main"), " 0 unready waiting");
		finish(&w);
	}
}

static bool has_open_key(struct str configmap, struct str key, void *userdata)
{
	return str_is(configmap, "barrier") && str_is(key, userdata);
}

static void test_missing_config(void **state)
{
#define FROM_KEY(more)                                                                          \
	"\"containers\":[{\"name\":\"main\",\"image\":\"nginx:1\",\"env\":[{\"name\":\"A\","    \
	"\"value\":\"b\"},"                                                                     \
	"{\"name\":\"B\",\"valueFrom\":{\"configMapKeyRef\":{\"name\":\"barrier\",\"key\":\"p_" \
	"0\"" more "}}}]}]"
	(void)state;
	struct world w;
	char open[8] = "p_1";
	begin(&w, POD("", FROM_KEY("")));
	w.rt.has_key = has_open_key;
	w.rt.userdata = open;
	look(&w);
	look_at_next(&w);
	assert_string_equal(waiting_reason(&w), "CreateContainerConfigError");
	assert_string_equal(phase(&w), "Pending");
	assert_int_equal(w.next, 0);
	assert_true(sim_runtime_held(&w.rt));
	strcpy(open, "p_0");
	look(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:1 0 ready running");
	assert_false(sim_runtime_held(&w.rt));
	/* running containers do not notice, their successors do */
	strcpy(open, "p_1");
	assert_null(look(&w));
	change_image(&w, "nginx:2");
	look(&w);
	look_at_next(&w);
	assert_string_equal(waiting_reason(&w), "CreateContainerConfigError");
	finish(&w);

	begin(&w, POD("", FROM_KEY(",\"optional\":true")));
	w.rt.has_key = has_open_key;
	w.rt.userdata = open;
	look(&w);
	look_at_next(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:1 0 ready running");
	finish(&w);
}

static void test_exit(void **state)
{
	(void)state;
	static const struct {
		const char *code, *phase, *ready;
	} table[] = {
	    {"0", "Succeeded", "False:PodCompleted"},
	    {"3", "Failed", "False:ContainersNotReady"},
	};
	for (size_t i = 0; i < 2; i++) {
		struct world w;
		begin(&w, POD("", MAIN));
		annotate(&w, "sim.kruised.io/exit", table[i].code);
		look(&w);
		look_at_next(&w);
		assert_string_equal(phase(&w), "Running");
		look_at_next(&w);
		assert_string_equal(phase(&w), table[i].phase);
		assert_string_equal(condition_of(&w, "Ready"), table[i].ready);
		/* it is over: nothing restarts it */
		change_image(&w, "nginx:2");
		assert_null(look(&w));
		finish(&w);
	}
}

static void test_malformed_faults(void **state)
{
	(void)state;
	static const char *const codes[] = {"", "-1", "256", "1x", "1000"};
	struct world w;
	begin(&w, POD("\"sim.kruised.io/start-delay\":\"soon\"", MAIN));
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		annotate(&w, "sim.kruised.io/exit", codes[i]);
		const struct sim_faults f = sim_faults_of(&w.pod);
		assert_false(f.exits);
		assert_false(f.has_start_delay);
	}
	finish(&w);
}

static void delete_pod(struct world *w, int64_t grace)
{
	val *meta = val_get_mut(&w->pod, "metadata");
	val_set(w->a, meta, "deletionTimestamp", val_of_str("2027-01-15T08:00:05Z"));
	val_set(w->a, meta, "deletionGracePeriodSeconds", val_of_int(grace));
}

static void test_deletion(void **state)
{
	(void)state;
	static const struct {
		int64_t grace;
		uint64_t wait;
	} table[] = {{30, 100000}, {1, 100000}, {0, 0}, {-5, 0}, {INT64_MAX, 100000}};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct world w;
		begin(&w, POD("", MAIN));
		look(&w);
		look_at_next(&w);
		delete_pod(&w, table[i].grace);
		assert_null(look(&w));
		w.usec += table[i].wait;
		look(&w);
		assert_true(sim_runtime_kill_due(&w.rt, now_of(&w)));
		sim_runtime_kill(&w.rt, now_of(&w));
		assert_false(sim_runtime_kill_due(&w.rt, now_of(&w)));
		/* with finalizers the pod is still there */
		assert_non_null(look(&w));
		assert_string_equal(container(&w, "main"), "sim://nginx:1 0 unready terminated");
		assert_string_equal(condition_of(&w, "Ready"), "False:ContainersNotReady");
		finish(&w);
	}
}

/* A new simulator takes a pod over as it is: nothing restarts, nothing is written. */
static void test_adoption(void **state)
{
	(void)state;
	struct world w;
	begin(&w, POD("", MAIN "," GATES));
	look(&w);
	look_at_next(&w);
	change_image(&w, "nginx:2");
	look(&w);
	look_at_next(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:2 1 ready running");

	sim_runtime_free(&w.rt);
	w.usec += 7000000;
	sim_runtime_init(&w.rt, &w.pod, &times, now_of(&w));
	assert_null(look(&w));
	assert_int_equal(w.next, 0);

	/* an image that changed meanwhile is noticed */
	sim_runtime_free(&w.rt);
	change_image(&w, "nginx:3");
	sim_runtime_init(&w.rt, &w.pod, &times, now_of(&w));
	assert_non_null(look(&w));
	look_at_next(&w);
	assert_string_equal(container(&w, "main"), "sim://nginx:3 2 ready running");
	finish(&w);
}

static void test_hostile_pods(void **state)
{
	(void)state;
	static const char *const pods[] = {
	    "{}",
	    "{\"spec\":[],\"status\":7,\"metadata\":\"x\"}",
	    "{\"spec\":{\"containers\":[1,null,{\"name\":3}],\"initContainers\":[{}]}}",
	    "{\"spec\":{\"containers\":{\"a\":1},\"readinessGates\":[7]},"
	    "\"status\":{\"conditions\":[3],\"containerStatuses\":\"x\"}}",
	};
	for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++) {
		struct world w;
		begin(&w, pods[i]);
		for (int k = 0; k < 4; k++) {
			const struct sim_faults f = sim_faults_of(&w.pod);
			val patch;
			sim_runtime_advance(&w.rt, &w.pod, &f, &times, now_of(&w));
			sim_status_patch(w.a, &w.pod, &w.rt, &f,
					 (struct sim_address){"10.128.0.1", "172.16.0.1"},
					 now_of(&w), &patch);
			w.usec += 400000;
		}
		assert_int_equal(w.rt.n, i == 2 ? 4 : i == 3 ? 1 : 0);
		finish(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_start),
	    cmocka_unit_test(test_gates),
	    cmocka_unit_test(test_image_change),
	    cmocka_unit_test(test_init_containers),
	    cmocka_unit_test(test_never_ready),
	    cmocka_unit_test(test_crash),
	    cmocka_unit_test(test_pull_error),
	    cmocka_unit_test(test_never_pulled),
	    cmocka_unit_test(test_missing_config),
	    cmocka_unit_test(test_exit),
	    cmocka_unit_test(test_malformed_faults),
	    cmocka_unit_test(test_deletion),
	    cmocka_unit_test(test_adoption),
	    cmocka_unit_test(test_hostile_pods),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
