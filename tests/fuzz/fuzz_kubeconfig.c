/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config.h"
#include "kube/exec_plugin.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No input may crash it; what it accepts has a server, and can be copied. No file is read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	struct k8s_config *c = NULL;
	if (k8s_config_parse(&c, (const char *)data, size, "fuzz", "/nowhere", NULL, &e) == 0) {
		if (!c->server)
			abort();
		struct k8s_config *copy = k8s_config_copy(c);
		k8s_config_free(c);
		k8s_config_free(copy);
	} else if (c || !e.msg[0]) {
		abort();
	}
	struct exec_credential x;
	if (exec_credential_parse((const char *)data, size, &x, &e) == 0)
		exec_credential_clear(&x);
	return 0;
}
