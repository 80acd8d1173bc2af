/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/predownload.h"

#include "kube/intorpercent.h"
#include "kube/ownerref.h"
#include "kube/json.h"
#include "rules/cloneset_convert.h"
#include "rules/content.h"
#include "rules/revision.h"

#include <stdlib.h>

#define ANNO_PARALLELISM "apps.kruise.io/image-predownload-parallelism"
#define ANNO_TIMEOUT "apps.kruise.io/image-predownload-timeout-seconds"
#define ANNO_MIN_UPDATED_READY "apps.kruise.io/image-predownload-min-updated-ready-pods"

/* Smaller sets gain nothing: nearly all their pods are in the first batch. */
#define MORE_REPLICAS_THAN 3
#define DEFAULT_TIMEOUT 300
#define TTL_AFTER_FINISHED 600

/* A setting: the field of inPlaceUpdateStrategy, else the annotation, whose text is a number or a
 * percentage. NULL when there is neither. */
static const val *setting(arena *a, const val *cloneset, const char *field, const char *annotation,
			  val *parsed)
{
	const val *v = val_path(cloneset_rolling(cloneset), "inPlaceUpdateStrategy", field, NULL);
	const char *text;
	char *end;
	long n;

	if (!val_is_null(v))
		return v;
	text = val_cstr(a, val_path(cloneset, "metadata", "annotations", annotation, NULL));
	if (!text || !*text)
		return NULL;
	n = strtol(text, &end, 10);
	*parsed = *end ? val_of_str(text) : val_of_int(n);
	return parsed;
}

static int32_t wanted_ready(const val *cloneset, int32_t replicas)
{
	_cleanup_arena_ arena *a = arena_new();
	int64_t n;
	val parsed;
	const val *v = setting(a, cloneset, "imagePreDownloadMinUpdatedReadyPods",
			       ANNO_MIN_UPDATED_READY, &parsed);

	if (int_or_percent_resolve(v, replicas, true, 0, &n, NULL) < 0 || n < 0)
		return 0;
	return n > replicas ? replicas : (int32_t)n;
}

enum predownload predownload_decide(const val *cloneset, const struct cloneset_spec *spec,
				    const val *update_revision, const struct inplace_spec *change,
				    int32_t updated_ready)
{
	const val *labels = val_path(update_revision, "metadata", "labels", NULL);

	if (val_get(labels, LABEL_PREDOWNLOAD_CREATED) ||
	    val_get(labels, LABEL_PREDOWNLOAD_IGNORED))
		return PREDOWNLOAD_DECIDED;
	if (updated_ready < wanted_ready(cloneset, spec->replicas))
		return PREDOWNLOAD_LATER;
	if (spec->type == CLONESET_RECREATE || spec->replicas <= MORE_REPLICAS_THAN ||
	    (spec->partition == 0 && spec->max_unavailable >= spec->replicas) ||
	    !change->possible || change->n_images == 0)
		return PREDOWNLOAD_IGNORE;
	return PREDOWNLOAD_CREATE;
}

const char *predownload_job_name(arena *a, const val *revision, struct str container)
{
	return arena_printf(a, "%.*s-%.*s",
			    STR_ARG(val_str(val_path(revision, "metadata", "name", NULL))),
			    STR_ARG(container));
}

/* The set's pods that are not at the revision, by its full name or its hash. */
static val pod_selector(arena *a, const val *cloneset, const val *revision)
{
	val selector = map_clone(a, val_path(cloneset, "spec", "selector", NULL));
	const val *before = val_get(&selector, "matchExpressions");
	struct str name = val_str(val_path(revision, "metadata", "name", NULL));
	val not_in = val_map(), values = val_array(), all = val_array();

	for (size_t i = 0; val_is_array(before) && i < val_len(before); i++)
		val_push(a, &all, *val_at(before, i));
	val_push(a, &values, val_of_strn(name));
	val_push(a, &values, val_of_strn(revision_short(name)));
	val_set(a, &not_in, "key", val_of_str(LABEL_REVISION_HASH));
	val_set(a, &not_in, "operator", val_of_str("NotIn"));
	val_set(a, &not_in, "values", values);
	val_push(a, &all, not_in);
	val_set(a, &selector, "matchExpressions", all);
	return selector;
}

static val pull_secrets(arena *a, const val *template)
{
	const val *from = val_path(template, "spec", "imagePullSecrets", NULL);
	val names = val_array();

	for (size_t i = 0; val_is_array(from) && i < val_len(from); i++) {
		if (val_is_str(val_get(val_at(from, i), "name")))
			val_push(a, &names, *val_get(val_at(from, i), "name"));
	}
	return names;
}

static val job_spec(arena *a, const val *cloneset, const val *revision, struct str image,
		    const val *labels)
{
	const val *template = val_path(cloneset, "spec", "template", NULL);
	const val *annotations = val_path(template, "metadata", "annotations", NULL);
	val spec = val_map(), policy = val_map(), completion = val_map(), sandbox = val_map();
	val secrets = pull_secrets(a, template), *parsed = arena_alloc(a, 2 * sizeof(*parsed));
	const val *parallelism =
	    setting(a, cloneset, "imagePreDownloadParallelism", ANNO_PARALLELISM, &parsed[0]);
	const val *timeout =
	    setting(a, cloneset, "imagePreDownloadTimeoutSeconds", ANNO_TIMEOUT, &parsed[1]);

	val_set(a, &spec, "image", val_of_strn(image));
	val_set(a, &spec, "podSelector", pod_selector(a, cloneset, revision));
	val_set(a, &spec, "parallelism", parallelism ? *parallelism : val_of_int(1));
	val_set(a, &policy, "backoffLimit", val_of_int(1));
	val_set(a, &policy, "timeoutSeconds", val_of_int(val_int_or(timeout, DEFAULT_TIMEOUT)));
	val_set(a, &spec, "pullPolicy", policy);
	val_set(a, &completion, "type", val_of_str("Always"));
	val_set(a, &completion, "ttlSecondsAfterFinished", val_of_int(TTL_AFTER_FINISHED));
	val_set(a, &spec, "completionPolicy", completion);
	if (val_len(&secrets))
		val_set(a, &spec, "pullSecrets", secrets);
	val_set(a, &sandbox, "labels", *labels);
	if (val_len(annotations))
		val_set(a, &sandbox, "annotations", *annotations);
	val_set(a, &spec, "sandboxConfig", sandbox);
	return spec;
}

val predownload_job(arena *a, const val *cloneset, const val *update_revision,
		    const struct inplace_image *image)
{
	const val *hash =
	    val_path(update_revision, "metadata", "labels", LABEL_CONTROLLER_HASH, NULL);
	val job = val_map(), meta = val_map(), refs = val_array(), labels;

	labels = map_clone(a, val_path(cloneset, "spec", "template", "metadata", "labels", NULL));
	if (val_is_str(hash))
		val_set(a, &labels, LABEL_CONTROLLER_HASH, *hash);
	val_push(a, &refs, ownerref_make(a, &K8S_CLONESETS_V1ALPHA1, cloneset, true));
	val_set(a, &meta, "name",
		val_of_str(predownload_job_name(a, update_revision, image->container)));
	val_set(a, &meta, "namespace", *val_path(cloneset, "metadata", "namespace", NULL));
	val_set(a, &meta, "labels", labels);
	val_set(a, &meta, "ownerReferences", refs);
	val_set(a, &job, "apiVersion", val_of_str("apps.kruise.io/v1alpha1"));
	val_set(a, &job, "kind", val_of_str("ImagePullJob"));
	val_set(a, &job, "metadata", meta);
	val_set(a, &job, "spec", job_spec(a, cloneset, update_revision, image->image, &labels));
	return job;
}

val predownload_label_patch(arena *a, const char *label)
{
	val patch = val_map();

	val_set(a, val_ensure_map(a, val_ensure_map(a, &patch, "metadata"), "labels"), label,
		val_of_str("true"));
	return patch;
}
