/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_PODTEMPLATE_INT_H
#define RULES_PODTEMPLATE_INT_H

#include "rules/fieldcheck.h"
#include "rules/strset.h"

/* Shared by the files rules/podtemplate_*.c. All of these take values that passed the schema. */

/* The defaults that depend on other fields; `template` has the form that schema_apply gives it. */
void podtemplate_dependent_defaults(arena *a, val *template);

/* What containers may mount: the payload is the volume, or &PODTEMPLATE_EXTRA_VOLUME for a claim of
 * the workload. */
extern const val PODTEMPLATE_EXTRA_VOLUME;

/* podtemplate_volumes.c: checks the volumes and adds the good ones to `names`. */
void podtemplate_check_volumes(struct field_errors *fe, const val *volumes,
			       const struct fpath *path, struct strset *names);
/* podtemplate_claims.c */
void podtemplate_check_claim_spec(struct field_errors *fe, const val *spec,
				  const struct fpath *path);
/* podtemplate_containers.c */
void podtemplate_check_containers(struct field_errors *fe, const val *spec,
				  const struct fpath *path, const struct strset *volumes);
/* podtemplate_probes.c: probes and lifecycle of one container */
void podtemplate_check_probes(struct field_errors *fe, const val *container,
			      const struct fpath *path);
/* podtemplate_env.c: env and envFrom of one container; the two kinds of references to fields */
void podtemplate_check_env(struct field_errors *fe, const val *container, const struct fpath *path);
void podtemplate_check_field_ref(struct field_errors *fe, const val *ref, const struct fpath *path,
				 const char *const *supported);
void podtemplate_check_resource_ref(struct field_errors *fe, const val *ref,
				    const struct fpath *path, bool in_volume);
/* podtemplate_resources.c */
void podtemplate_check_resources(struct field_errors *fe, const val *resources,
				 const struct fpath *path);
void podtemplate_check_overhead(struct field_errors *fe, const val *spec, const struct fpath *path);
/* podtemplate_security.c: a container's security context, a pod's */
void podtemplate_check_security(struct field_errors *fe, const val *context,
				const struct fpath *path);
void podtemplate_check_pod_security(struct field_errors *fe, const val *spec,
				    const struct fpath *path);
/* podtemplate_scheduling.c: affinity, tolerations, topologySpreadConstraints, nodeSelector */
void podtemplate_check_scheduling(struct field_errors *fe, const val *spec,
				  const struct fpath *path);

#endif
