/* SPDX-License-Identifier: Apache-2.0 */

/* The state that one kruised hands to the next. */
#include "supervisor/handover_text.c"
#include "supervisor/services.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct service services[64] = {0};
	struct sandbox_report reports[64] = {0};
	struct supervisor s = {.services = services, .n_services = n_service_defs};
	int *unknown = NULL;
	size_t n = 0;
	for (size_t i = 0; i < n_service_defs; i++)
		services[i] = (struct service){.def = &service_defs[i], .sandbox = &reports[i]};
	if (handover_parse(&s, (const char *)data, size, &unknown, &n, NULL) < 0)
		return 0;
	_cleanup_buf_ struct buf text = {0};
	handover_print(&s, &text);
	free(unknown);
	if (handover_parse(&s, buf_str(&text), text.len, &unknown, &n, NULL) < 0)
		abort(); /* what we write, we can read */
	free(unknown);
	for (size_t i = 0; i < n_service_defs; i++)
		if (services[i].pid == 1 || services[i].pid < 0)
			abort();
	return 0;
}
