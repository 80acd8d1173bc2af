/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_SCHEMA_H
#define RULES_CLONESET_SCHEMA_H

#include "rules/schema.h"

/* CloneSet's spec of both versions. Template and volumeClaimTemplates are opaque here: they have
 * tables of their own (rules/podtemplate_schema.h). */
extern const struct schema_type SCHEMA_CLONESET_SPEC, SCHEMA_CLONESET_SPEC_V1BETA1;
/* v1beta1's updateStrategy: what rollingUpdate holds has its defaults once it is there. */
extern const struct schema_type SCHEMA_CLONESET_UPDATE_V1BETA1;
/* Of the version that the object is of. */
const struct schema_type *schema_cloneset_spec(const val *cloneset);

#endif
