/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/content.h"
#include "rules/inplace_state.h"

static const char *const kinds[] = {"labels", "annotations"};

/* `over` on top of `under`: keys of maps one by one, lists one after the other. Shares values. */
static val merge(arena *a, const val *under, const val *over)
{
	val out = map_clone(a, under);

	for (size_t i = 0; val_is_map(over) && i < val_len(over); i++) {
		struct str key = val_key(over, i);
		const val *v = val_value(over, i), *old = val_getn(&out, key);
		val merged = *v;

		if (val_is_map(v)) {
			merged = merge(a, old, v);
		} else if (val_is_array(v) && val_is_array(old)) {
			merged = val_array();
			for (size_t k = 0; k < val_len(old); k++)
				val_push(a, &merged, *val_at(old, k));
			for (size_t k = 0; k < val_len(v); k++)
				val_push(a, &merged, *val_at(v, k));
		}
		val_setn(a, &out, key, merged);
	}
	return out;
}

void inplace_put_metadata(arena *a, const val *metadata, val *patch)
{
	val *meta = val_ensure_map(a, patch, "metadata");

	*meta = merge(a, meta, metadata);
}

static val images_of(arena *a, const struct inplace_spec *spec)
{
	val images = val_map();

	for (size_t i = 0; i < spec->n_images; i++)
		val_setn(a, &images, spec->images[i].container, val_of_strn(spec->images[i].image));
	return images;
}

/* Entries of `from` whose container the pod still has. */
static val of_existing(arena *a, const val *pod, const val *from)
{
	const val *containers = val_path(pod, "spec", "containers", NULL);
	val out = val_map();

	for (size_t i = 0; val_is_map(from) && i < val_len(from); i++) {
		if (val_find(containers, "name", val_key(from, i)))
			val_setn(a, &out, val_key(from, i), *val_value(from, i));
	}
	return out;
}

/* Labels and annotations that the change sets or removes as plain metadata are no longer to be read
 * at their older values. */
static val without_keys(arena *a, const val *refs, const val *metadata)
{
	val out = val_map();

	for (size_t i = 0; i < val_len(refs); i++) {
		val ref = val_map();

		for (size_t k = 0; k < 2; k++) {
			const val *from = val_get(val_value(refs, i), kinds[k]);
			const val *gone = val_get(metadata, kinds[k]);
			val kept = val_map();

			for (size_t j = 0; val_is_map(from) && j < val_len(from); j++) {
				if (!val_getn(gone, val_key(from, j)))
					val_setn(a, &kept, val_key(from, j), *val_value(from, j));
			}
			if (val_len(&kept))
				val_set(a, &ref, kinds[k], kept);
		}
		if (val_len(&ref))
			val_setn(a, &out, val_key(refs, i), ref);
	}
	return out;
}

/* The present one on top of what waits. */
static void add_waiting(arena *a, const val *pod, const struct inplace_pending *waiting,
			struct inplace_change *c)
{
	val images = of_existing(a, pod, &waiting->images);
	val refs = of_existing(a, pod, &waiting->refs);

	refs = without_keys(a, &refs, &c->metadata);
	c->pending.images = merge(a, &images, &c->pending.images);
	c->pending.refs = merge(a, &refs, &c->pending.refs);
}

/* After an update of which nothing was written: what the pod has already need not be written, and
 * restarts nothing. */
static void drop_present(arena *a, const val *pod, struct inplace_change *c)
{
	const val *containers = val_path(pod, "spec", "containers", NULL);
	val images = val_map(), refs = val_map();

	for (size_t i = 0; i < val_len(&c->pending.images); i++) {
		struct str name = val_key(&c->pending.images, i);
		const val *image = val_value(&c->pending.images, i);

		if (!val_equal(val_get(val_find(containers, "name", name), "image"), image))
			val_setn(a, &images, name, *image);
	}
	for (size_t i = 0; i < val_len(&c->pending.refs); i++) {
		val ref = val_map();

		for (size_t k = 0; k < 2; k++) {
			const val *want = val_get(val_value(&c->pending.refs, i), kinds[k]);
			const val *have = val_path(pod, "metadata", kinds[k], NULL);
			val kept = val_map();

			for (size_t j = 0; val_is_map(want) && j < val_len(want); j++) {
				if (!val_equal(val_value(want, j),
					       val_getn(have, val_key(want, j))))
					val_setn(a, &kept, val_key(want, j), *val_value(want, j));
			}
			if (val_len(&kept))
				val_set(a, &ref, kinds[k], kept);
		}
		if (val_len(&ref))
			val_setn(a, &refs, val_key(&c->pending.refs, i), ref);
	}
	c->pending = (struct inplace_pending){images, refs};
}

static val unreplaced(arena *a, const val *pod, const val *last)
{
	val kept = val_map();

	for (size_t i = 0; val_is_map(last) && i < val_len(last); i++) {
		struct str id = val_str(val_get(val_value(last, i), "imageID"));

		if (!inplace_container_done(pod, val_key(last, i), id, NULL, 0))
			val_setn(a, &kept, val_key(last, i), *val_value(last, i));
	}
	return kept;
}

void inplace_change_of(arena *a, const val *pod, const struct inplace_spec *spec,
		       struct inplace_change *out)
{
	struct inplace_grace grace;
	val state = val_map();
	bool known = inplace_state_read(a, pod, &state) == INPLACE_STATE_OK;

	*out = (struct inplace_change){
	    .pending = {images_of(a, spec), map_clone(a, &spec->refs)},
	    .metadata = spec->metadata,
	    .unreplaced =
		unreplaced(a, pod, known ? val_get(&state, "lastContainerStatuses") : NULL),
	};
	if (inplace_grace_read(a, pod, &grace) == INPLACE_STATE_OK) {
		add_waiting(a, pod, &grace.pending, out);
		out->metadata = merge(a, &grace.metadata, &out->metadata);
		drop_present(a, pod, out);
	} else if (known) {
		const val *images = val_get(&state, "nextContainerImages");
		const val *refs = val_get(&state, "nextContainerRefMetadata");
		const struct inplace_pending waiting = {images ? *images : val_map(),
							refs ? *refs : val_map()};

		add_waiting(a, pod, &waiting, out);
		out->env = val_bool(val_get(&state, "updateEnvFromMetadata")) &&
			   inplace_check(pod, NULL, NULL, 0) != INPLACE_COMPLETE;
	}
	out->env |= val_len(&out->pending.refs) > 0;
}
