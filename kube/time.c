/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000

/* Days since 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t days_of(int64_t y, int m, int d)
{
	y -= m <= 2; /* years begin in March: the leap day is the last */
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t yoe = y - era * 400;
	int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static void date_of(int64_t days, int *year, int *month, int *day)
{
	days += 719468;
	int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	int64_t doe = days - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;
	*day = (int)(doy - (153 * mp + 2) / 5 + 1);
	*month = (int)(mp < 10 ? mp + 3 : mp - 9);
	*year = (int)(yoe + era * 400 + (*month <= 2));
}

static int days_in(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month == 2 && leap ? 29 : days[month - 1];
}

/* Exactly n digits, then `after` (0: nothing demanded). */
static bool take(struct str *s, size_t n, char after, int *out)
{
	if (s->n < n + (after != 0))
		return false;
	int v = 0;
	for (size_t i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		v = v * 10 + (s->p[i] - '0');
	}
	if (after && s->p[n] != after)
		return false;
	s->p += n + (after != 0);
	s->n -= n + (after != 0);
	*out = v;
	return true;
}

static bool take_fraction(struct str *s, int *usec)
{
	*usec = 0;
	if (!s->n || *s->p != '.')
		return true;
	size_t digits = 0;
	int scale = SECOND / 10;
	for (s->p++, s->n--; s->n && *s->p >= '0' && *s->p <= '9'; s->p++, s->n--) {
		*usec += (*s->p - '0') * scale;
		scale /= 10;
		digits++;
	}
	return digits > 0;
}

static bool take_zone(struct str *s, int *seconds)
{
	*seconds = 0;
	if (s->n == 1 && *s->p == 'Z')
		return true;
	if (s->n != 6 || (*s->p != '+' && *s->p != '-'))
		return false;
	int sign = *s->p == '-' ? -1 : 1, h, m;
	s->p++;
	s->n--;
	if (!take(s, 2, ':', &h) || !take(s, 2, 0, &m) || h > 23 || m > 59)
		return false;
	*seconds = sign * (h * 3600 + m * 60);
	return true;
}

bool k8s_time_parse_usec(struct str s, int64_t *usec)
{
	int y, mo, d, h, mi, sec, fraction, zone;
	if (!take(&s, 4, '-', &y) || !take(&s, 2, '-', &mo) || !take(&s, 2, 'T', &d) ||
	    !take(&s, 2, ':', &h) || !take(&s, 2, ':', &mi) || !take(&s, 2, 0, &sec))
		return false;
	if (!take_fraction(&s, &fraction) || !take_zone(&s, &zone))
		return false;
	if (mo < 1 || mo > 12 || d < 1 || d > days_in(y, mo) || h > 23 || mi > 59 || sec > 59)
		return false;
	int64_t t = days_of(y, mo, d) * 86400 + h * 3600 + mi * 60 + sec - zone;
	*usec = t * SECOND + fraction;
	return true;
}

static int64_t floor_seconds(int64_t usec)
{
	return usec / SECOND - (usec % SECOND < 0);
}

bool k8s_time_parse(struct str s, int64_t *seconds)
{
	int64_t usec;
	if (!k8s_time_parse_usec(s, &usec))
		return false;
	*seconds = floor_seconds(usec);
	return true;
}

int64_t k8s_time_of(const val *v, int64_t fallback_seconds)
{
	int64_t t;
	return k8s_time_parse(val_str(v), &t) ? t : fallback_seconds;
}

int64_t k8s_time_usec_of(const val *v, int64_t fallback_usec)
{
	int64_t t;
	return k8s_time_parse_usec(val_str(v), &t) ? t : fallback_usec;
}

static int64_t clamp(int64_t seconds)
{
	static const int64_t first = -62167219200, last = 253402300799;
	return seconds < first ? first : seconds > last ? last : seconds;
}

static int print_seconds(char *out, size_t n, int64_t seconds)
{
	int y, m, d;
	seconds = clamp(seconds);
	int64_t days = seconds / 86400 - (seconds % 86400 < 0);
	int rest = (int)(seconds - days * 86400);
	date_of(days, &y, &m, &d);
	return snprintf(out, n, "%04d-%02d-%02dT%02d:%02d:%02d", y, m, d, rest / 3600,
			rest / 60 % 60, rest % 60);
}

char *k8s_time_format(char *out, size_t n, int64_t seconds)
{
	int len = print_seconds(out, n, seconds);
	if (len > 0 && (size_t)len < n)
		snprintf(out + len, n - (size_t)len, "Z");
	return out;
}

char *k8s_microtime_format(char *out, size_t n, int64_t usec)
{
	int64_t seconds = floor_seconds(usec);
	int len = print_seconds(out, n, seconds);
	if (len > 0 && (size_t)len < n)
		snprintf(out + len, n - (size_t)len, ".%06dZ", (int)(usec - seconds * SECOND));
	return out;
}

val k8s_time_val(arena *a, int64_t seconds)
{
	char text[K8S_TIME_LEN];
	return val_of_strdup(a, str_of(k8s_time_format(text, sizeof(text), seconds)));
}

val k8s_microtime_val(arena *a, int64_t usec)
{
	char text[K8S_TIME_LEN];
	return val_of_strdup(a, str_of(k8s_microtime_format(text, sizeof(text), usec)));
}

/* The unit at the start of s, in nanoseconds; its length goes to *len. */
static int64_t duration_unit(struct str s, size_t *len)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
	    {"ns", 1},
	    {"us", 1000},
	    {"\xc2\xb5s", 1000},
	    {"\xce\xbcs", 1000},
	    {"ms", 1000000},
	    {"s", 1000000000LL},
	    {"m", 60 * 1000000000LL},
	    {"h", 3600 * 1000000000LL},
	};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (str_has_prefix(s, units[i].name)) {
			*len = strlen(units[i].name);
			return units[i].ns;
		}
	}
	return 0;
}

static bool take_duration_part(struct str *s, __int128 *total_ns)
{
	__int128 whole = 0, fraction = 0, scale = 1;
	size_t digits = 0, len = 0;
	for (; s->n && *s->p >= '0' && *s->p <= '9'; s->p++, s->n--, digits++) {
		whole = whole * 10 + (*s->p - '0');
		if (whole > INT64_MAX)
			return false;
	}
	if (s->n && *s->p == '.') {
		for (s->p++, s->n--; s->n && *s->p >= '0' && *s->p <= '9'; s->p++, s->n--) {
			digits++;
			if (scale >= 1000000000000000)
				continue;
			fraction = fraction * 10 + (*s->p - '0');
			scale *= 10;
		}
	}
	int64_t unit = duration_unit(*s, &len);
	if (!digits || !unit)
		return false;
	s->p += len;
	s->n -= len;
	*total_ns += whole * unit + fraction * unit / scale;
	return *total_ns / 1000 <= INT64_MAX;
}

bool k8s_duration_parse(struct str s, int64_t *usec)
{
	bool negative = s.n && *s.p == '-';
	if (s.n && (*s.p == '-' || *s.p == '+')) {
		s.p++;
		s.n--;
	}
	if (str_is(s, "0")) {
		*usec = 0;
		return true;
	}
	__int128 ns = 0;
	if (!s.n)
		return false;
	while (s.n) {
		if (!take_duration_part(&s, &ns))
			return false;
	}
	*usec = (int64_t)(ns / 1000) * (negative ? -1 : 1);
	return true;
}

/* "1.5" + unit, without trailing zeros. */
static void print_fraction(char *out, size_t n, uint64_t v, uint64_t per, int width,
			   const char *unit)
{
	uint64_t rest = v % per;
	if (!rest) {
		snprintf(out, n, "%" PRIu64 "%s", v / per, unit);
		return;
	}
	while (rest % 10 == 0) {
		rest /= 10;
		width--;
	}
	snprintf(out, n, "%" PRIu64 ".%0*" PRIu64 "%s", v / per, width, rest, unit);
}

char *k8s_duration_format(char *out, size_t n, int64_t usec)
{
	const char *sign = usec < 0 ? "-" : "";
	uint64_t u = usec < 0 ? 0 - (uint64_t)usec : (uint64_t)usec;
	char seconds[K8S_DURATION_LEN];
	if (u == 0) {
		snprintf(out, n, "0s");
		return out;
	}
	if (u < SECOND) {
		print_fraction(seconds, sizeof(seconds), u, u < 1000 ? 1 : 1000, 3,
			       u < 1000 ? "\xc2\xb5s" : "ms");
		snprintf(out, n, "%s%s", sign, seconds);
		return out;
	}
	uint64_t hours = u / SECOND / 3600, minutes = u / SECOND / 60 % 60;
	print_fraction(seconds, sizeof(seconds), u % ((uint64_t)60 * SECOND), SECOND, 6, "s");
	if (hours)
		snprintf(out, n, "%s%" PRIu64 "h%" PRIu64 "m%s", sign, hours, minutes, seconds);
	else if (minutes)
		snprintf(out, n, "%s%" PRIu64 "m%s", sign, minutes, seconds);
	else
		snprintf(out, n, "%s%s", sign, seconds);
	return out;
}

int64_t k8s_now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * SECOND + ts.tv_nsec / 1000;
}

int64_t k8s_now(void)
{
	return floor_seconds(k8s_now_usec());
}
