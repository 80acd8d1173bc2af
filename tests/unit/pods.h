/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PODS_H
#define TESTS_UNIT_PODS_H

#include "rules/pod.h"

/* Pod views for table tests. */
#define NOW INT64_C(1800000000)

/* An available pod on a node of its own, old enough for anything. */
static inline struct pod_view a_pod(const char *name, const char *revision)
{
	return (struct pod_view){
	    .name = name,
	    .uid = "",
	    .rv = "",
	    .node = name,
	    .revision = revision,
	    .instance_id = "",
	    .created = NOW - 100000,
	    .ready_since = NOW - 90000,
	    .phase = POD_RUNNING,
	    .cond_ready = COND_TRUE,
	    .cond_inplace = COND_TRUE,
	    .lifecycle = LIFECYCLE_NORMAL,
	    .gate_inplace = true,
	    .active = true,
	    .scheduled = true,
	    .has_template_hash = true,
	};
}

#endif
