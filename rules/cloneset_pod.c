/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_scale.h"

#include "kube/ownerref.h"
#include "rules/content.h"
#include "rules/revision.h"

#include <errno.h>
#include <string.h>

bool cloneset_instance_id_valid(struct str id)
{
	if (id.n != CLONESET_ID_LEN)
		return false;
	for (size_t i = 0; i < id.n; i++) {
		if (!id.p[i] || !strchr(CLONESET_ID_ALPHABET, id.p[i]))
			return false;
	}
	return true;
}

void cloneset_instance_id(uint64_t random, char out[static CLONESET_ID_LEN + 1])
{
	const uint64_t base = sizeof(CLONESET_ID_ALPHABET) - 1;

	for (int i = 0; i < CLONESET_ID_LEN; i++) {
		out[i] = CLONESET_ID_ALPHABET[random % base];
		random /= base;
	}
	out[CLONESET_ID_LEN] = '\0';
}

char *cloneset_claim_name(arena *a, struct str template_name, struct str cloneset_name,
			  const char *id)
{
	return arena_printf(a, "%.*s-%.*s-%s", STR_ARG(template_name), STR_ARG(cloneset_name), id);
}

static int check_owner(const val *cloneset, struct str *name, struct err *e)
{
	*name = val_str(val_path(cloneset, "metadata", "name", NULL));
	if (!name->n || !val_str(val_path(cloneset, "metadata", "uid", NULL)).n)
		return err_set(e, EINVAL, "the CloneSet has no name or no uid");
	return 0;
}

static val owner_refs(arena *a, const val *cloneset)
{
	val refs = val_array();

	val_push(a, &refs, ownerref_make(a, &K8S_CLONESETS_V1ALPHA1, cloneset, true));
	return refs;
}

static void set_namespace(arena *a, const val *cloneset, val *meta)
{
	const val *ns = val_path(cloneset, "metadata", "namespace", NULL);

	if (val_is_str(ns))
		val_set(a, meta, "namespace", *ns);
}

static val pod_metadata(arena *a, const val *cloneset, const val *template, struct str revision,
			const char *name, const char *id, bool short_hash)
{
	const val *from = val_get(template, "metadata");
	struct str hash = revision_short(revision);
	val labels = map_clone(a, val_get(from, "labels"));
	val annotations = map_clone(a, val_get(from, "annotations"));
	val meta = val_map();

	val_set(a, &labels, LABEL_INSTANCE_ID, val_of_strdup(a, str_of(id)));
	val_set(a, &labels, LABEL_REVISION_HASH, val_of_strn(revision_label(revision, short_hash)));
	val_set(a, &labels, LABEL_TEMPLATE_HASH, val_of_strn(hash));
	val_set(a, &meta, "name", val_of_str(name));
	set_namespace(a, cloneset, &meta);
	val_set(a, &meta, "labels", labels);
	val_set(a, &meta, "annotations", annotations);
	if (val_len(val_get(from, "finalizers")))
		val_set(a, &meta, "finalizers", *val_get(from, "finalizers"));
	val_set(a, &meta, "ownerReferences", owner_refs(a, cloneset));
	return meta;
}

static val readiness_gates(arena *a, const val *spec)
{
	const val *old = val_get(spec, "readinessGates");
	val gates = val_array(), gate = val_map();

	for (size_t i = 0; val_is_array(old) && i < val_len(old); i++)
		val_push(a, &gates, *val_at(old, i));
	if (val_find(&gates, "conditionType", str_of(GATE_INPLACE_READY)))
		return gates;
	val_set(a, &gate, "conditionType", val_of_str(GATE_INPLACE_READY));
	val_push(a, &gates, gate);
	return gates;
}

static val claim_volume(arena *a, struct str template_name, struct str cloneset_name,
			const char *id)
{
	val volume = val_map(), claim = val_map();

	val_set(a, &claim, "claimName",
		val_of_str(cloneset_claim_name(a, template_name, cloneset_name, id)));
	val_set(a, &volume, "name", val_of_strn(template_name));
	val_set(a, &volume, "persistentVolumeClaim", claim);
	return volume;
}

/* The claims' volumes first, then those of the template that no claim replaces. */
static val volumes(arena *a, const val *claims, const val *spec, struct str cloneset_name,
		   const char *id)
{
	const val *own = val_get(spec, "volumes");
	val list = val_array();

	for (size_t i = 0; val_is_array(claims) && i < val_len(claims); i++) {
		struct str name = val_str(val_path(val_at(claims, i), "metadata", "name", NULL));

		if (name.n)
			val_push(a, &list, claim_volume(a, name, cloneset_name, id));
	}
	for (size_t i = 0; val_is_array(own) && i < val_len(own); i++) {
		if (!val_find(&list, "name", val_str(val_get(val_at(own, i), "name"))))
			val_push(a, &list, *val_at(own, i));
	}
	return list;
}

int cloneset_new_pod(arena *a, const val *cloneset, const val *template, struct str revision,
		     const char *id, int64_t now, bool short_hash, val *out, struct err *e)
{
	const val *from = val_get(template, "spec");
	val spec, pod = val_map(), all;
	struct str owner;
	char *name;
	int r = check_owner(cloneset, &owner, e);

	if (r < 0)
		return r;
	if (!val_is_map(from))
		return err_set(e, EINVAL, "the revision's template has no spec");
	name = arena_printf(a, "%.*s-%s", STR_ARG(owner), id);
	spec = map_clone(a, from);
	val_set(a, &spec, "readinessGates", readiness_gates(a, from));
	all = volumes(a, val_path(cloneset, "spec", "volumeClaimTemplates", NULL), from, owner, id);
	if (val_len(&all))
		val_set(a, &spec, "volumes", all);

	val_set(a, &pod, "apiVersion", val_of_str("v1"));
	val_set(a, &pod, "kind", val_of_str("Pod"));
	val_set(a, &pod, "metadata",
		pod_metadata(a, cloneset, template, revision, name, id, short_hash));
	val_set(a, &pod, "spec", spec);
	lifecycle_set(a, &pod, LIFECYCLE_PREPARING_NORMAL, now);
	*out = pod;
	return 0;
}

int cloneset_new_claim(arena *a, const val *cloneset, const val *claim_template, const char *id,
		       val *out, struct err *e)
{
	const val *from = val_get(claim_template, "metadata");
	const val *selector = val_path(cloneset, "spec", "selector", "matchLabels", NULL);
	struct str owner, template_name = val_str(val_get(from, "name"));
	val claim = val_map(), meta = val_map(), labels;
	int r = check_owner(cloneset, &owner, e);

	if (r < 0)
		return r;
	if (!template_name.n || !val_is_map(val_get(claim_template, "spec")))
		return err_set(e, EINVAL, "a volumeClaimTemplate has no name or no spec");
	labels = map_clone(a, val_get(from, "labels"));
	for (size_t i = 0; val_is_map(selector) && i < val_len(selector); i++)
		val_setn(a, &labels, val_key(selector, i), *val_value(selector, i));
	val_set(a, &labels, LABEL_INSTANCE_ID, val_of_strdup(a, str_of(id)));

	val_set(a, &meta, "name", val_of_str(cloneset_claim_name(a, template_name, owner, id)));
	set_namespace(a, cloneset, &meta);
	val_set(a, &meta, "labels", labels);
	if (val_len(val_get(from, "annotations")))
		val_set(a, &meta, "annotations", *val_get(from, "annotations"));
	val_set(a, &meta, "ownerReferences", owner_refs(a, cloneset));
	val_set(a, &claim, "apiVersion", val_of_str("v1"));
	val_set(a, &claim, "kind", val_of_str("PersistentVolumeClaim"));
	val_set(a, &claim, "metadata", meta);
	val_set(a, &claim, "spec", *val_get(claim_template, "spec"));
	*out = claim;
	return 0;
}
