/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/names.h"

#include <arpa/inet.h>
#include <string.h>

enum chars { LOWER = 1, UPPER = 2, DIGIT = 4, ALNUM = LOWER | UPPER | DIGIT };

static const char DNS1123_LABEL[] =
    "must be 1 to 63 lower-case letters, digits or '-', first and last a letter or digit "
    "(as in 'my-name' or '123-abc')";
static const char DNS1123_SUBDOMAIN[] =
    "must be a lower-case DNS name: up to 253 lower-case letters, digits, '-' or '.', each part "
    "first and last a letter or digit (as in 'example.com')";
static const char DNS1035_LABEL[] =
    "must be 1 to 63 lower-case letters, digits or '-', first a letter, last a letter or digit "
    "(as in 'my-name' or 'abc-123')";
static const char QUALIFIED[] =
    "must be a name of 1 to 63 letters, digits, '-', '_' or '.', first and last a letter or digit "
    "(as in 'MyName' or '123-abc'), after an optional DNS prefix and '/' (as in "
    "'example.com/MyName')";
static const char LABEL_VALUE[] =
    "must be empty, or up to 63 letters, digits, '-', '_' or '.', first and last a letter or digit "
    "(as in 'MyValue' or '12345')";
static const char ENV_VAR[] =
    "must consist of letters, digits, '_', '-' or '.', and not start with a digit "
    "(as in 'MY_ENV.NAME')";
static const char DOTS[] = "must not be '.' or start with '..'";
static const char PORT_LENGTH[] = "must have 1 to 15 characters";
static const char PORT_CHARS[] = "must consist of lower-case letters, digits and '-'";
static const char PORT_LETTER[] = "must have at least one letter";
static const char PORT_HYPHEN[] = "must not start or end with '-', nor have two of them together";
static const char CONFIG_KEY[] =
    "must be 1 to 253 letters, digits, '-', '_' or '.' (as in 'key.name')";
static const char IP[] = "must be an IP address (as in '10.9.8.7' or '2001:db8::ffff')";

static bool is_one_of(char c, unsigned classes, const char *extra)
{
	return ((classes & LOWER) && c >= 'a' && c <= 'z') ||
	       ((classes & UPPER) && c >= 'A' && c <= 'Z') ||
	       ((classes & DIGIT) && c >= '0' && c <= '9') || (c && strchr(extra, c));
}

static bool consists_of(struct str s, unsigned classes, const char *extra)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_one_of(s.p[i], classes, extra))
			return false;
	return true;
}

/* Not empty; both ends of the classes, in between also `extra`. */
static bool is_enclosed(struct str s, unsigned classes, const char *extra)
{
	return s.n && is_one_of(s.p[0], classes, "") && is_one_of(s.p[s.n - 1], classes, "") &&
	       consists_of(s, classes, extra);
}

const char *name_check_dns1123_label(struct str s)
{
	return s.n <= 63 && is_enclosed(s, LOWER | DIGIT, "-") ? NULL : DNS1123_LABEL;
}

const char *name_check_dns1123_subdomain(struct str s)
{
	if (s.n > 253)
		return DNS1123_SUBDOMAIN;
	for (;;) {
		const char *dot = s.n ? memchr(s.p, '.', s.n) : NULL;
		size_t n = dot ? (size_t)(dot - s.p) : s.n;

		if (!is_enclosed((struct str){s.p, n}, LOWER | DIGIT, "-"))
			return DNS1123_SUBDOMAIN;
		if (!dot)
			return NULL;
		s.p += n + 1;
		s.n -= n + 1;
	}
}

const char *name_check_dns1035_label(struct str s)
{
	if (name_check_dns1123_label(s) || !is_one_of(s.p[0], LOWER, ""))
		return DNS1035_LABEL;
	return NULL;
}

const char *name_check_qualified(struct str s)
{
	const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;

	if (slash) {
		size_t n = (size_t)(slash - s.p);

		if (name_check_dns1123_subdomain((struct str){s.p, n}))
			return QUALIFIED;
		s.p += n + 1;
		s.n -= n + 1;
	}
	return s.n <= 63 && is_enclosed(s, ALNUM, "-_.") ? NULL : QUALIFIED;
}

const char *name_check_annotation_key(struct str s)
{
	char lower[320]; /* longer than any valid key */

	if (s.n > sizeof(lower))
		return QUALIFIED;
	for (size_t i = 0; i < s.n; i++)
		lower[i] = is_one_of(s.p[i], UPPER, "") ? (char)(s.p[i] + 32) : s.p[i];
	return name_check_qualified((struct str){lower, s.n});
}

const char *name_check_label_value(struct str s)
{
	return !s.n || (s.n <= 63 && is_enclosed(s, ALNUM, "-_.")) ? NULL : LABEL_VALUE;
}

static bool leads_out_of_folder(struct str s)
{
	return str_is(s, ".") || str_has_prefix(s, "..");
}

const char *name_check_env_var(struct str s)
{
	if (!s.n || is_one_of(s.p[0], DIGIT, "") || !consists_of(s, ALNUM, "-_."))
		return ENV_VAR;
	return leads_out_of_folder(s) ? DOTS : NULL;
}

const char *name_check_port(struct str s)
{
	bool letter = false;

	if (s.n < 1 || s.n > 15)
		return PORT_LENGTH;
	if (!consists_of(s, LOWER | DIGIT, "-"))
		return PORT_CHARS;
	for (size_t i = 0; i < s.n; i++) {
		letter = letter || is_one_of(s.p[i], LOWER, "");
		if (s.p[i] == '-' && (i == 0 || i == s.n - 1 || s.p[i - 1] == '-'))
			return PORT_HYPHEN;
	}
	return letter ? NULL : PORT_LETTER;
}

const char *name_check_config_key(struct str s)
{
	if (!s.n || s.n > 253 || !consists_of(s, ALNUM, "-_."))
		return CONFIG_KEY;
	return leads_out_of_folder(s) ? DOTS : NULL;
}

const char *name_check_ip(struct str s)
{
	char text[64];
	unsigned char address[sizeof(struct in6_addr)];

	if (!s.n || s.n >= sizeof(text) || memchr(s.p, '\0', s.n))
		return IP;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	if (inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1)
		return NULL;
	return IP;
}
