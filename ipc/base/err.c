/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that was cut does not end within a UTF-8 character: messages go into JSON. */
static void mend_end(char *s, size_t n)
{
	size_t i = n, need;
	while (i > 0 && n - i < 3 && ((unsigned char)s[i - 1] & 0xc0) == 0x80)
		i--;
	if (i == 0 || (unsigned char)s[i - 1] < 0xc0)
		return;
	unsigned char lead = (unsigned char)s[i - 1];
	need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	if (n - i + 1 < need)
		s[i - 1] = '\0';
}

static void mend(struct err *e)
{
	size_t n = strlen(e->msg);
	if (n == sizeof(e->msg) - 1)
		mend_end(e->msg, n);
}

int err_set(struct err *e, int num, const char *fmt, ...)
{
	if (!e)
		return -num;
	va_list ap;
	va_start(ap, fmt);
	e->num = num;
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	mend(e);
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
	if (n >= 0 && (size_t)n < sizeof(e->msg))
		snprintf(e->msg + n, sizeof(e->msg) - (size_t)n, ": %s", inner);
	mend(e);
	return -e->num;
}
