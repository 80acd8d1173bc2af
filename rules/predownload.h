/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_PREDOWNLOAD_H
#define RULES_PREDOWNLOAD_H

#include "rules/cloneset_count.h"
#include "rules/inplace.h"

/*
 * Fetching the images of a roll-out to the nodes beforehand (gate
 * PreDownloadImageForInPlaceUpdate): one ImagePullJob for each image that changes. Labels of the
 * new ControllerRevision say what was decided about it.
 */
#define LABEL_PREDOWNLOAD_CREATED "apps.kruise.io/pre-predownload-created"
#define LABEL_PREDOWNLOAD_IGNORED "apps.kruise.io/image-predownload-ignored"

enum predownload {
	PREDOWNLOAD_DECIDED, /* the revision says so */
	PREDOWNLOAD_LATER,   /* too few updated pods are ready yet */
	PREDOWNLOAD_IGNORE,  /* it would gain nothing: label the revision so */
	PREDOWNLOAD_CREATE,  /* create the jobs, then label the revision */
};

/* updated_ready: pods that are ready at the new revision. change: between the two revisions. */
enum predownload predownload_decide(const val *cloneset, const struct cloneset_spec *spec,
				    const val *update_revision, const struct inplace_spec *change,
				    int32_t updated_ready);

/* The name of a revision's job for a container; in the arena. */
const char *predownload_job_name(arena *a, const val *revision, struct str container);
/* The ImagePullJob of one image. */
val predownload_job(arena *a, const val *cloneset, const val *update_revision,
		    const struct inplace_image *image);
/* Merge patch of the revision: one of the labels above. */
val predownload_label_patch(arena *a, const char *label);

#endif
