/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_VALIDATE_INT_H
#define RULES_CLONESET_VALIDATE_INT_H

#include "rules/fielderror.h"

/* Shared by rules/cloneset_validate*.c. All take a spec that passed the schema, with its defaults.
 */

/* updateStrategy: type, numbers, priorities, scatter. old_spec: NULL on creation. path: "spec". */
void cloneset_check_update_strategy(struct field_errors *fe, const val *spec, const val *old_spec,
				    bool v1beta1, const struct fpath *path);
/* What may not change between two specs. */
void cloneset_check_update(struct field_errors *fe, const val *spec, const val *old_spec,
			   bool v1beta1, const struct fpath *path);

#endif
