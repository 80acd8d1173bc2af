/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/ownerref.h"

#include <errno.h>
#include <string.h>

const val *ownerref_controller(const val *object)
{
	const val *refs = val_path(object, "metadata", "ownerReferences", NULL);
	for (size_t i = 0; val_is_array(refs) && i < val_len(refs); i++) {
		if (val_bool(val_get(val_at(refs, i), "controller")))
			return val_at(refs, i);
	}
	return NULL;
}

struct str ownerref_controller_uid(const val *object)
{
	return val_str(val_get(ownerref_controller(object), "uid"));
}

bool ownerref_is_controlled_by(const val *object, struct str uid)
{
	return uid.n > 0 && str_eq(ownerref_controller_uid(object), uid);
}

bool ownerref_is_kind(const val *ref, const struct k8s_resource *r)
{
	struct str version = val_str(val_get(ref, "apiVersion"));
	if (!version.p || !val_is(val_get(ref, "kind"), r->kind))
		return false;
	const char *slash = memchr(version.p, '/', version.n);
	struct str group = {version.p, slash ? (size_t)(slash - version.p) : 0};
	return str_is(group, r->group);
}

val ownerref_make(arena *a, const struct k8s_resource *r, const val *owner, bool block_deletion)
{
	_cleanup_buf_ struct buf version = {0};
	const val *meta = val_get(owner, "metadata");
	val ref = val_map();
	k8s_api_version(&version, r);
	val_set(a, &ref, "apiVersion", val_of_strdup(a, str_of(buf_str(&version))));
	val_set(a, &ref, "kind", val_of_str(r->kind));
	val_set(a, &ref, "name", val_of_strdup(a, val_str(val_get(meta, "name"))));
	val_set(a, &ref, "uid", val_of_strdup(a, val_str(val_get(meta, "uid"))));
	val_set(a, &ref, "controller", val_of_bool(true));
	val_set(a, &ref, "blockOwnerDeletion", val_of_bool(block_deletion));
	return ref;
}

int ownerref_set_controller(arena *a, val *object, val ref)
{
	struct str uid = val_str(val_get(&ref, "uid"));
	const val *controller = ownerref_controller(object);
	if (controller && !str_eq(val_str(val_get(controller, "uid")), uid))
		return -EEXIST;
	val *meta = val_ensure_map(a, object, "metadata");
	if (!val_is_array(val_get(meta, "ownerReferences")))
		val_set(a, meta, "ownerReferences", val_array());
	val *refs = val_get_mut(meta, "ownerReferences");
	for (size_t i = 0; i < val_len(refs); i++) {
		if (str_eq(val_str(val_get(val_at(refs, i), "uid")), uid)) {
			*val_at_mut(refs, i) = ref;
			return 0;
		}
	}
	val_push(a, refs, ref);
	return 0;
}

bool ownerref_remove(val *object, struct str uid)
{
	val *meta = val_get_mut(object, "metadata");
	val *refs = val_get_mut(meta, "ownerReferences");
	bool removed = false;
	if (!uid.n || !val_is_array(refs))
		return false;
	for (size_t i = 0; i < val_len(refs);) {
		if (str_eq(val_str(val_get(val_at(refs, i), "uid")), uid)) {
			val_remove_at(refs, i);
			removed = true;
		} else {
			i++;
		}
	}
	if (removed && val_len(refs) == 0)
		val_del(meta, "ownerReferences");
	return removed;
}

static val refs_patch(arena *a, struct str uid, val ref)
{
	val patch = val_map(), refs = val_array();
	val_push(a, &refs, ref);
	val *meta = val_ensure_map(a, &patch, "metadata");
	val_set(a, meta, "uid", val_of_strdup(a, uid));
	val_set(a, meta, "ownerReferences", refs);
	return patch;
}

val ownerref_release_patch(arena *a, struct str uid, struct str owner_uid)
{
	val gone = val_map();
	val_set(a, &gone, "$patch", val_of_str("delete"));
	val_set(a, &gone, "uid", val_of_strdup(a, owner_uid));
	return refs_patch(a, uid, gone);
}

val ownerref_adopt_patch(arena *a, struct str uid, val ref)
{
	return refs_patch(a, uid, ref);
}
