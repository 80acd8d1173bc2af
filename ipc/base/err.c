/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int num, const char *fmt, ...)
{
	if (!e)
		return -num;
	va_list ap;
	va_start(ap, fmt);
	e->num = num;
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return -num;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	if (!e)
		return -1;
	char inner[sizeof(e->msg)];
	memcpy(inner, e->msg, sizeof(inner));

	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(e->msg))
		return -e->num;
	snprintf(e->msg + n, sizeof(e->msg) - (size_t)n, ": %s", inner);
	return -e->num;
}
