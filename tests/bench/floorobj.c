/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/time.h"
#include "tests/bench/floor.h"

#define STATE "lifecycle.apps.kruise.io/state"
#define TIMESTAMP "lifecycle.apps.kruise.io/timestamp"

static val now(arena *a)
{
	return k8s_time_val(a, k8s_now());
}

val floor_owner(arena *a)
{
	val owner = val_map();
	val_set(a, &owner, "apiVersion", val_of_str("v1"));
	val_set(a, &owner, "kind", val_of_str("ConfigMap"));
	val *meta = val_ensure_map(a, &owner, "metadata");
	val_set(a, meta, "name", val_of_str(FLOOR_APP));
	val_set(a, val_ensure_map(a, meta, "labels"), "app", val_of_str(FLOOR_APP));
	return owner;
}

static val owner_reference(arena *a, struct str uid)
{
	val r = val_map(), list = val_array();
	val_set(a, &r, "apiVersion", val_of_str("v1"));
	val_set(a, &r, "kind", val_of_str("ConfigMap"));
	val_set(a, &r, "name", val_of_str(FLOOR_APP));
	val_set(a, &r, "uid", val_of_strn(uid));
	val_set(a, &r, "controller", val_of_bool(true));
	val_set(a, &r, "blockOwnerDeletion", val_of_bool(true));
	val_push(a, &list, r);
	return list;
}

val floor_pod(arena *a, int64_t i, struct str owner_uid)
{
	val pod = bench_template(a, FLOOR_APP, "nginx:1"), gate = val_map(), gates = val_array();
	char *id = arena_printf(a, "%05lld", (long long)i);
	val_set(a, &pod, "apiVersion", val_of_str("v1"));
	val_set(a, &pod, "kind", val_of_str("Pod"));
	val *meta = val_ensure_map(a, &pod, "metadata");
	val_set(a, meta, "name", val_of_str(arena_printf(a, FLOOR_APP "-%s", id)));
	val *labels = val_ensure_map(a, meta, "labels");
	val_set(a, labels, "apps.kruise.io/cloneset-instance-id", val_of_str(id));
	val_set(a, labels, "controller-revision-hash", val_of_str(FLOOR_APP "-dffdcc69b"));
	val_set(a, labels, "pod-template-hash", val_of_str("dffdcc69b"));
	val_set(a, labels, STATE, val_of_str("PreparingNormal"));
	val_set(a, val_ensure_map(a, meta, "annotations"), TIMESTAMP, now(a));
	val_set(a, meta, "ownerReferences", owner_reference(a, owner_uid));
	val_set(a, &gate, "conditionType", val_of_str(FLOOR_GATE));
	val_push(a, &gates, gate);
	val_set(a, val_ensure_map(a, &pod, "spec"), "readinessGates", gates);
	return pod;
}

static val condition(arena *a, const char *type, bool yes, const char *reason)
{
	val c = val_map();
	val_set(a, &c, "type", val_of_str(type));
	val_set(a, &c, "status", val_of_str(yes ? "True" : "False"));
	val_set(a, &c, "lastTransitionTime", now(a));
	val_set(a, &c, "reason", reason ? val_of_str(reason) : val_null());
	return c;
}

val floor_gate_patch(arena *a, bool ready)
{
	val patch = val_map(), list = val_array();
	val_push(a, &list, condition(a, FLOOR_GATE, ready, ready ? NULL : "StartInPlaceUpdate"));
	if (!ready)
		val_push(a, &list, condition(a, "Ready", false, "ReadinessGatesNotReady"));
	val_set(a, val_ensure_map(a, &patch, "status"), "conditions", list);
	return patch;
}

val floor_state_patch(arena *a, const char *state)
{
	val patch = val_map();
	val *meta = val_ensure_map(a, &patch, "metadata");
	val_set(a, val_ensure_map(a, meta, "labels"), STATE, val_of_str(state));
	val_set(a, val_ensure_map(a, meta, "annotations"), TIMESTAMP, now(a));
	return patch;
}

val floor_image_patch(arena *a, const char *image)
{
	val patch = floor_state_patch(a, "Updating"), container = val_map(), list = val_array();
	val *meta = val_ensure_map(a, &patch, "metadata");
	val *labels = val_ensure_map(a, meta, "labels");
	val_set(a, labels, "controller-revision-hash", val_of_str(FLOOR_APP "-7c9756c5dd"));
	val_set(a, labels, "pod-template-hash", val_of_str("7c9756c5dd"));
	/* of the size that the real annotation has */
	val_set(a, val_ensure_map(a, meta, "annotations"), "apps.kruise.io/inplace-update-state",
		val_of_str("{\"revision\":\"" FLOOR_APP "-7c9756c5dd\",\"updateTimestamp\":"
			   "\"2026-12-01T00:00:00Z\",\"lastContainerStatuses\":{\"main\":{"
			   "\"imageID\":\"sim://nginx:1\"}},\"containerBatchesRecord\":[{"
			   "\"timestamp\":\"2026-12-01T00:00:00Z\",\"containers\":[\"main\"]}]}"));
	val_set(a, &container, "name", val_of_str("main"));
	val_set(a, &container, "image", val_of_str(image));
	val_push(a, &list, container);
	val_set(a, val_ensure_map(a, &patch, "spec"), "containers", list);
	return patch;
}
