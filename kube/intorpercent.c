/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/intorpercent.h"

#include <errno.h>

/* "-?[0-9]+%", as the API accepts it. */
static bool parse_percent(struct str s, int32_t *out)
{
	size_t i = 0;
	int64_t v = 0;
	bool negative = s.n && s.p[0] == '-';
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		i++;
	if (s.n < i + 2 || s.p[s.n - 1] != '%')
		return false;
	for (; i < s.n - 1; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v * 10 + (s.p[i] - '0');
		if (v > INT32_MAX)
			return false;
	}
	*out = (int32_t)(negative ? -v : v);
	return true;
}

int int_or_percent_parse(const val *v, struct int_or_percent *out, struct err *e)
{
	int64_t i;
	if (val_int(v, &i)) {
		if (i < INT32_MIN || i > INT32_MAX)
			return err_set(e, EINVAL, "%lld is out of range", (long long)i);
		*out = (struct int_or_percent){.value = (int32_t)i};
		return 0;
	}
	struct str s = val_str(v);
	if (!s.p)
		return err_set(e, EINVAL, "neither an integer nor a percentage");
	int32_t percent;
	if (!parse_percent(s, &percent))
		return err_set(e, EINVAL, "\"%.*s\" is no percentage", (int)(s.n < 64 ? s.n : 64),
			       s.p);
	*out = (struct int_or_percent){.percent = true, .value = percent};
	return 0;
}

int64_t int_or_percent_scale(struct int_or_percent p, int64_t total, bool round_up)
{
	if (!p.percent)
		return p.value;
	__int128 product = (__int128)p.value * total;
	__int128 whole = product / 100, rest = product % 100;
	if (round_up && rest > 0)
		whole++;
	if (!round_up && rest < 0)
		whole--;
	if (whole > INT64_MAX)
		return INT64_MAX;
	return whole < INT64_MIN ? INT64_MIN : (int64_t)whole;
}

int int_or_percent_resolve(const val *v, int64_t total, bool round_up, int64_t fallback,
			   int64_t *out, struct err *e)
{
	struct int_or_percent p;
	if (val_is_null(v)) {
		*out = fallback;
		return 0;
	}
	int r = int_or_percent_parse(v, &p, e);
	if (r < 0)
		return r;
	*out = int_or_percent_scale(p, total, round_up);
	return 0;
}

val int_or_percent_val(arena *a, struct int_or_percent p)
{
	return p.percent ? val_of_str(arena_printf(a, "%d%%", (int)p.value)) : val_of_int(p.value);
}
