/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct buf *b, const void *p, size_t n)
{
	const unsigned char *s = p;
	buf_reserve(b, (n + 2) / 3 * 4);
	b->p[b->len] = '\0';
	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t v = (uint32_t)s[i] << 16;
		v |= left > 1 ? (uint32_t)s[i + 1] << 8 : 0;
		v |= left > 2 ? (uint32_t)s[i + 2] : 0;
		char out[4] = {alphabet[v >> 18], alphabet[v >> 12 & 63],
			       left > 1 ? alphabet[v >> 6 & 63] : '=',
			       left > 2 ? alphabet[v & 63] : '='};
		buf_add(b, out, sizeof(out));
	}
}

bool base64_decode(struct buf *b, const char *p, size_t n)
{
	size_t before = b->len;
	uint32_t v = 0;
	int have = 0, padding = 0;
	buf_reserve(b, n / 4 * 3 + 3);
	b->p[b->len] = '\0';
	for (size_t i = 0; i < n; i++) {
		char c = p[i];
		if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
			continue;
		const char *at = c ? strchr(alphabet, c) : NULL;
		if (c == '=')
			padding++;
		else if (!at || padding)
			goto bad;
		v = v << 6 | (at && c != '=' ? (uint32_t)(at - alphabet) : 0);
		if (++have < 4)
			continue;
		if (padding > 2)
			goto bad;
		char out[3] = {(char)(v >> 16), (char)(v >> 8), (char)v};
		buf_add(b, out, (size_t)(3 - padding));
		v = 0;
		have = 0;
		if (padding) {
			/* nothing may follow the padding */
			n = i + 1 + strspn(p + i + 1, "\r\n\t ") >= n ? i + 1 : 0;
			if (n == 0)
				goto bad;
		}
	}
	if (have == 0)
		return true;
bad:
	b->len = before;
	if (b->p)
		b->p[before] = '\0';
	return false;
}
