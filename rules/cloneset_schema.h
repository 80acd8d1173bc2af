/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_SCHEMA_H
#define RULES_CLONESET_SCHEMA_H

#include "rules/schema.h"

/* CloneSet's spec of v1alpha1. Template and volumeClaimTemplates are opaque here: they have tables
 * of their own (rules/podtemplate_schema.h). */
extern const struct schema_type SCHEMA_CLONESET_SPEC;

#endif
