/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/jsonpatch.h"
#include "kube/ownerref.h"
#include "kube/resource.h"
#include "rules/cloneset_default.h"
#include "rules/cloneset_validate.h"
#include "webhookd/handlers.h"

/* Whether the request is about a CloneSet itself; sub-resources are not ours to judge. */
static bool concerns_us(const struct admission_request *q)
{
	return str_is(q->group, "apps.kruise.io") && str_is(q->resource, "clonesets") &&
	       q->sub_resource.n == 0 && q->object;
}

struct admission_answer cloneset_mutate(arena *a, const struct admission_request *q,
					const struct admission_env *env)
{
	struct err e = {0};
	if (!concerns_us(q))
		return admission_allow();
	val object = val_copy(a, q->object);
	if (cloneset_default(a, &object, q->old_object,
			     gate_on(&env->gates, GATE_TEMPLATE_NO_DEFAULTS), &e) < 0)
		return admission_refuse(422, "Invalid", arena_printf(a, "%s", e.msg));
	struct admission_answer answer = admission_allow();
	val *patch = arena_alloc(a, sizeof(*patch));
	*patch = jsonpatch_diff(a, q->object, &object);
	answer.patch = patch;
	return answer;
}

struct lookup {
	arena *a;
	const struct admission_env *env;
	bool no_store;
};

static struct pod_facts find_pod(struct str ns, struct str name, void *userdata)
{
	struct lookup *l = userdata;
	struct pod_facts facts = {0};
	struct store_entry entry;
	val pod;
	struct store_txn *txn = l->env->store(l->env->userdata);
	if (!txn) {
		l->no_store = true;
		return facts;
	}
	if (store_get(txn, k8s_resource_key(&K8S_PODS), ns, name, &entry) <= 0 ||
	    store_object(&entry, l->a, &pod, NULL) < 0)
		return facts;
	facts.exists = true;
	facts.terminating = !val_is_null(val_path(&pod, "metadata", "deletionTimestamp", NULL));
	facts.controller_uid = ownerref_controller_uid(&pod);
	return facts;
}

struct admission_answer cloneset_admit(arena *a, const struct admission_request *q,
				       const struct admission_env *env)
{
	if (!concerns_us(q)) /* deletion too: protection is a feature of its own */
		return admission_allow();
	struct lookup l = {.a = a, .env = env};
	const struct cloneset_validate_env venv = {.pod = find_pod, .userdata = &l};
	struct field_errors *errors = arena_alloc(a, sizeof(*errors));
	field_errors_init(errors, a);
	cloneset_validate(a, q->object, q->old_object, &venv, errors);
	if (l.no_store)
		return admission_refuse(
		    503, "ServiceUnavailable",
		    "spec.scaleStrategy.podsToDelete cannot be checked: the object store is "
		    "not there yet");
	return errors->n ? admission_invalid(a, errors) : admission_allow();
}
