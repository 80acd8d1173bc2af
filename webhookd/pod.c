/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/jsonpatch.h"
#include "rules/launchpriority.h"
#include "rules/podreadiness.h"
#include "webhookd/handlers.h"

#include <sys/random.h>

#define ANNO_MIRROR "kubernetes.io/config.mirror"

static void readiness_gate(arena *a, val *pod, const struct admission_env *env,
			   struct field_errors *errors)
{
	(void)errors;
	podreadiness_inject(a, pod, gate_on(&env->gates, GATE_KRUISE_POD_READINESS));
}

static void launch_priority(arena *a, val *pod, const struct admission_env *env,
			    struct field_errors *errors)
{
	uint64_t random = 0;

	(void)env;
	/* never short for so few bytes; and if, the name is only more likely to be taken */
	(void)!getrandom(&random, sizeof(random), 0);
	launchpriority_inject(a, pod, random, errors);
}

/*
 * The chain, in the order that OpenKruise has: readiness gate, WorkloadSpread, SidecarSet,
 * container launch priority, PodUnavailableBudget's annotation, PersistentPodState,
 * EnhancedLivenessProbe, PodProbeMarker. Each sees what those before it have changed. One that adds
 * an error ends the chain.
 */
static const struct {
	enum gate gate; /* GATE_POD_WEBHOOK: always, since without it there is no chain */
	void (*run)(arena *a, val *pod, const struct admission_env *env,
		    struct field_errors *errors);
} chain[] = {
    {GATE_POD_WEBHOOK, readiness_gate},
    {GATE_POD_WEBHOOK, launch_priority},
};

/*
 * Left alone: the control plane's own pods, whose start must depend on nobody (where namespaces
 * carry no name label, the webhook's namespaceSelector cannot say so), and mirror pods, which only
 * show what a kubelet runs already. A configuration may still lead here with the gate off.
 */
static bool is_new_pod(const struct admission_request *q, const struct admission_env *env)
{
	return q->group.n == 0 && str_is(q->resource, "pods") && q->sub_resource.n == 0 &&
	       str_is(q->operation, "CREATE") && q->object &&
	       gate_on(&env->gates, GATE_POD_WEBHOOK) && !str_is(q->ns, "kube-system") &&
	       !val_path(q->object, "metadata", "annotations", ANNO_MIRROR, NULL);
}

static void set_namespace(arena *a, val *pod, struct str ns)
{
	val *meta = val_ensure_map(a, pod, "metadata");

	if (ns.n && !val_str(val_get(meta, "namespace")).n)
		val_set(a, meta, "namespace", val_of_strn(ns));
}

struct admission_answer pod_mutate(arena *a, const struct admission_request *q,
				   const struct admission_env *env)
{
	if (!is_new_pod(q, env))
		return admission_allow();
	struct field_errors *errors = arena_alloc(a, sizeof(*errors));
	field_errors_init(errors, a);
	val before = val_copy(a, q->object);
	set_namespace(a, &before, q->ns);
	val pod = val_copy(a, &before);
	for (size_t i = 0; i < sizeof(chain) / sizeof(chain[0]) && !errors->n; i++) {
		if (gate_on(&env->gates, chain[i].gate))
			chain[i].run(a, &pod, env, errors);
	}
	if (errors->n)
		return admission_invalid(a, errors);
	struct admission_answer answer = admission_allow();
	/* a pod that nobody has changed needs no patch for its namespace alone */
	if (val_equal(&before, &pod))
		return answer;
	val *patch = arena_alloc(a, sizeof(*patch));
	*patch = jsonpatch_diff(a, q->object, &pod);
	answer.patch = patch;
	return answer;
}
