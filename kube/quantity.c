/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;

#define NANO 1000000000ULL
#define U128_MAX (~(u128)0)
/* Digits that a number of the fast 64-bit path of Go's type may have. */
#define FAST_DIGITS 18
#define MAX_EXPONENT 1000000 /* of "1eN"; beyond it nothing is representable anyway */

static const struct {
	const char *text;
	enum quantity_format format;
	int exponent; /* of ten, or of two for the binary ones */
} suffixes[] = {
    {"", QUANTITY_DECIMAL_SI, 0},   {"n", QUANTITY_DECIMAL_SI, -9}, {"u", QUANTITY_DECIMAL_SI, -6},
    {"m", QUANTITY_DECIMAL_SI, -3}, {"k", QUANTITY_DECIMAL_SI, 3},  {"M", QUANTITY_DECIMAL_SI, 6},
    {"G", QUANTITY_DECIMAL_SI, 9},  {"T", QUANTITY_DECIMAL_SI, 12}, {"P", QUANTITY_DECIMAL_SI, 15},
    {"E", QUANTITY_DECIMAL_SI, 18}, {"Ki", QUANTITY_BINARY_SI, 10}, {"Mi", QUANTITY_BINARY_SI, 20},
    {"Gi", QUANTITY_BINARY_SI, 30}, {"Ti", QUANTITY_BINARY_SI, 40}, {"Pi", QUANTITY_BINARY_SI, 50},
    {"Ei", QUANTITY_BINARY_SI, 60},
};
#define N_SUFFIXES (sizeof(suffixes) / sizeof(suffixes[0]))

/* The parts of a quantity's text: sign, digits before the point (without leading zeros), digits
 * after it, suffix. */
struct parts {
	bool negative;
	struct str num, denom;
	enum quantity_format format;
	int exponent;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str take_digits(struct str *s)
{
	struct str d = {s->p, 0};

	while (d.n < s->n && is_digit(s->p[d.n]))
		d.n++;
	s->p += d.n;
	s->n -= d.n;
	return d;
}

/* "e3", "E-6": the exponent; anything else fails. */
static int parse_exponent(struct str s, int *out)
{
	bool negative = false;
	long e = 0;
	size_t i = 1;

	if (s.n < 2 || (s.p[0] != 'e' && s.p[0] != 'E'))
		return -EINVAL;
	if (s.p[1] == '-' || s.p[1] == '+') {
		negative = s.p[1] == '-';
		i++;
	}
	if (i == s.n)
		return -EINVAL;
	for (; i < s.n; i++) {
		if (!is_digit(s.p[i]))
			return -EINVAL;
		e = e * 10 + (s.p[i] - '0');
		if (e > MAX_EXPONENT)
			return -EINVAL;
	}
	*out = (int)(negative ? -e : e);
	return 0;
}

static int parse_suffix(struct str s, struct parts *out)
{
	for (size_t i = 0; i < N_SUFFIXES; i++) {
		if (!str_is(s, suffixes[i].text) && (s.n || suffixes[i].text[0]))
			continue;
		out->format = suffixes[i].format;
		out->exponent = suffixes[i].exponent;
		return 0;
	}
	out->format = QUANTITY_DECIMAL_EXPONENT;
	return parse_exponent(s, &out->exponent);
}

static int split(struct str s, struct parts *out)
{
	*out = (struct parts){0};
	if (!s.n)
		return -EINVAL;
	if (s.p[0] == '-' || s.p[0] == '+') {
		out->negative = s.p[0] == '-';
		s.p++;
		s.n--;
	}
	while (s.n && s.p[0] == '0') {
		s.p++;
		s.n--;
	}
	out->num = take_digits(&s);
	if (s.n && s.p[0] == '.') {
		s.p++;
		s.n--;
		out->denom = take_digits(&s);
	}
	return parse_suffix(s, out);
}

static bool mul(u128 *v, u128 by)
{
	return !__builtin_mul_overflow(*v, by, v);
}

static bool push_digit(u128 *v, char c)
{
	return mul(v, 10) && !__builtin_add_overflow(*v, (u128)(c - '0'), v);
}

static u128 divide_up(u128 v, u128 by)
{
	return v / by + (v % by != 0);
}

/* The digits times 10^power, in whole units, rounded up; U128_MAX when it is too large. */
static u128 decimal_value(const struct parts *p, int power)
{
	u128 v = 0;
	bool rest = false;
	int skipped = 0;

	power -= (int)p->denom.n;
	for (size_t i = 0; i < p->num.n + p->denom.n; i++) {
		char c = i < p->num.n ? p->num.p[i] : p->denom.p[i - p->num.n];

		if (v > U128_MAX / 100) { /* enough digits: what follows only rounds */
			rest = rest || c != '0';
			skipped++;
		} else {
			push_digit(&v, c);
		}
	}
	for (power += skipped; power > 0 && v; power--)
		if (!mul(&v, 10))
			return U128_MAX;
	for (; power < 0 && v; power++) {
		rest = rest || v % 10;
		v /= 10;
	}
	return v == U128_MAX ? v : v + rest;
}

/* In 10^-9, capped as Kubernetes does at the greatest signed 64-bit number of units. */
static u128 binary_value(const struct parts *p)
{
	const u128 cap = (u128)INT64_MAX * NANO;
	u128 whole = 0, fraction = 0, unit = 1;
	size_t k = p->denom.n < 18 ? p->denom.n : 18;
	bool rest = false;

	for (size_t i = 0; i < p->num.n; i++)
		if (!push_digit(&whole, p->num.p[i]))
			return cap;
	if (whole > (u128)INT64_MAX >> p->exponent)
		return cap;
	for (size_t i = 0; i < p->denom.n; i++) {
		if (i < k)
			push_digit(&fraction, p->denom.p[i]);
		else
			rest = rest || p->denom.p[i] != '0';
	}
	fraction = (fraction + rest) << p->exponent;
	for (; k < 9; k++)
		fraction *= 10;
	for (; k > 9; k--)
		unit *= 10;
	fraction = divide_up(fraction, unit);
	whole = (whole << p->exponent) * NANO + fraction;
	return whole > cap ? cap : whole;
}

/* Go's quick test for texts that it prints back as they were. */
static bool go_keeps_text(const struct parts *p, int scale)
{
	size_t num = p->num.n ? p->num.n : 1, digits = num + p->denom.n;
	char all[FAST_DIGITS + 1];

	if (digits > FAST_DIGITS || scale < -9)
		return false;
	if (p->format == QUANTITY_BINARY_SI)
		return p->denom.n == 0 && p->num.n && 14 - (int)num - p->exponent * 3 / 10 >= 0 &&
		       strtoull(p->num.p, NULL, 10) % 8 != 0;
	if (scale % 3 != 0 || !p->num.n)
		return false;
	memcpy(all, p->num.p, p->num.n);
	if (p->denom.n)
		memcpy(all + p->num.n, p->denom.p, p->denom.n);
	return digits < 3 || memcmp(all + digits - 3, "000", 3) != 0;
}

int quantity_parse(struct str s, struct quantity *out)
{
	struct parts p;
	int r = split(s, &p);

	*out = (struct quantity){0};
	if (r < 0)
		return r;
	out->format = p.format;
	out->scale = (p.format == QUANTITY_BINARY_SI ? 0 : p.exponent) - (int)p.denom.n;
	out->nanos =
	    p.format == QUANTITY_BINARY_SI ? binary_value(&p) : decimal_value(&p, p.exponent + 9);
	out->negative = p.negative && out->nanos;
	if (go_keeps_text(&p, out->scale) || out->nanos == U128_MAX)
		out->text = s;
	return 0;
}

static struct str trim(struct str s)
{
	while (s.n && strchr(" \t\r\n\v\f", s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && strchr(" \t\r\n\v\f", s.p[s.n - 1]))
		s.n--;
	return s;
}

static int from_text(const char *text, struct quantity *out)
{
	int r = quantity_parse(str_of(text), out);

	if (r == 0 && out->nanos == U128_MAX)
		return -EINVAL; /* could only be printed as it was written, and that is gone */
	out->text = (struct str){0};
	return r;
}

static int from_double(double d, struct quantity *out)
{
	char text[400];

	if (!isfinite(d))
		return -EINVAL;
	if (d == floor(d) && fabs(d) < 1e21) {
		snprintf(text, sizeof(text), "%.0f", d);
		return from_text(text, out);
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return from_text(text, out);
}

int quantity_from_val(const val *v, struct quantity *out)
{
	char text[32];
	int64_t i;

	*out = (struct quantity){0};
	if (val_is_str(v))
		return quantity_parse(trim(val_str(v)), out);
	if (val_int(v, &i)) {
		snprintf(text, sizeof(text), "%lld", (long long)i);
		return from_text(text, out);
	}
	if (v && (v->type == MSGPACK_OBJECT_FLOAT32 || v->type == MSGPACK_OBJECT_FLOAT64))
		return from_double(v->via.f64, out);
	return -EINVAL;
}

static void print_u128(struct buf *b, u128 v)
{
	char text[40];
	size_t i = sizeof(text);

	do {
		text[--i] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	buf_add(b, text + i, sizeof(text) - i);
}

static const char *suffix_for(enum quantity_format format, int exponent)
{
	for (size_t i = 0; i < N_SUFFIXES; i++)
		if (suffixes[i].format == format && suffixes[i].exponent == exponent)
			return suffixes[i].text;
	return "";
}

static void print_binary(struct buf *b, u128 units)
{
	int exponent = 0;

	for (; units % 1024 == 0 && exponent < 60; exponent += 10)
		units /= 1024;
	print_u128(b, units);
	buf_puts(b, exponent ? suffix_for(QUANTITY_BINARY_SI, exponent) : "");
}

/* By thousands from 10^-9 up, as long as nothing is lost and a suffix exists. */
static void print_decimal(struct buf *b, u128 nanos, enum quantity_format format)
{
	int exponent = -9;

	while (nanos % 1000 == 0 && (exponent < 18 || format == QUANTITY_DECIMAL_EXPONENT)) {
		nanos /= 1000;
		exponent += 3;
	}
	print_u128(b, nanos);
	if (format == QUANTITY_DECIMAL_SI)
		buf_puts(b, suffix_for(QUANTITY_DECIMAL_SI, exponent));
	else if (exponent)
		buf_printf(b, "e%d", exponent);
}

void quantity_print(struct buf *b, const struct quantity *q)
{
	if (q->text.p) {
		buf_add(b, q->text.p, q->text.n);
		return;
	}
	if (!q->nanos) {
		buf_putc(b, '0');
		return;
	}
	if (q->negative)
		buf_putc(b, '-');
	/* Small and fractional numbers have no binary form without loss. */
	if (q->format == QUANTITY_BINARY_SI && q->nanos >= (u128)1024 * NANO &&
	    quantity_is_integer(q))
		print_binary(b, q->nanos / NANO);
	else
		print_decimal(b, q->nanos,
			      q->format == QUANTITY_DECIMAL_EXPONENT ? q->format
								     : QUANTITY_DECIMAL_SI);
}

char *quantity_str(arena *a, const struct quantity *q)
{
	_cleanup_buf_ struct buf b = {0};

	quantity_print(&b, q);
	return arena_strndup(a, buf_str(&b), b.len);
}

int quantity_cmp(const struct quantity *a, const struct quantity *b)
{
	int sign = a->negative ? -1 : 1;

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	if (a->nanos == b->nanos)
		return 0;
	return a->nanos < b->nanos ? -sign : sign;
}

bool quantity_is_integer(const struct quantity *q)
{
	return q->nanos % NANO == 0;
}

void quantity_round_to_milli(struct quantity *q)
{
	const u128 milli = NANO / 1000;

	if (q->nanos == U128_MAX || (q->text.p && q->scale >= -3))
		return;
	q->text = (struct str){0};
	q->nanos = divide_up(q->nanos, milli) * milli;
}
