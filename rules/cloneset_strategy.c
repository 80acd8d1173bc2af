/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_strategy.h"

#include "kube/selector.h"

#include <stdlib.h>

struct keyed {
	int64_t key; /* higher goes first */
	size_t place;
	uint32_t idx;
};

static int cmp_keyed(const void *pa, const void *pb)
{
	const struct keyed *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

/* The number at the end of a label's value, 0 if there is none; cut at 2^40. */
static int64_t trailing_number(struct str s)
{
	const int64_t max = INT64_C(1) << 40;
	size_t i = s.n;
	int64_t n = 0;

	while (i > 0 && s.p[i - 1] >= '0' && s.p[i - 1] <= '9')
		i--;
	for (; i < s.n && n < max; i++)
		n = n * 10 + (s.p[i] - '0');
	return n < max ? n : max - 1;
}

/* The first ordered key that the pod has decides, then the number in its value. */
static int64_t order_key(const val *terms, const val *labels)
{
	for (size_t i = 0; i < val_len(terms); i++) {
		struct str key = val_str(val_get(val_at(terms, i), "orderedKey"));
		const val *v = val_getn(labels, key);

		if (key.p && v)
			return -((int64_t)i << 41) + trailing_number(val_str(v));
	}
	return INT64_MIN;
}

struct weight {
	const struct selector *selector;
	int64_t weight;
};

static struct weight *compile_weights(arena *a, const val *terms, size_t *n)
{
	struct weight *w = arena_alloc(a, (val_len(terms) + 1) * sizeof(*w));

	*n = 0;
	for (size_t i = 0; i < val_len(terms); i++) {
		const val *t = val_at(terms, i);

		/* admission refuses bad selectors; one that got by matches nothing */
		if (selector_compile(a, val_get(t, "matchSelector"), &w[*n].selector, NULL) < 0)
			continue;
		w[*n].weight = val_int_or(val_get(t, "weight"), 0) & INT32_MAX;
		++*n;
	}
	return w;
}

static int64_t weight_key(const struct weight *w, size_t n, const val *labels)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += selector_matches(w[i].selector, labels) ? w[i].weight : 0;
	return sum;
}

void cloneset_order_by_priority(arena *a, const struct cloneset_strategy *s, uint32_t *idx,
				size_t n)
{
	const val *weights = val_get(s->priority, "weightPriority");
	const val *ordered = val_get(s->priority, "orderPriority");
	struct keyed *keys = arena_alloc(a, (n + 1) * sizeof(*keys));
	bool by_weight = val_is_array(weights) && val_len(weights);
	size_t n_weights = 0;
	struct weight *w = by_weight ? compile_weights(a, weights, &n_weights) : NULL;

	if (!by_weight && !val_is_array(ordered))
		return;
	for (size_t i = 0; i < n; i++) {
		const val *labels = s->labels[idx[i]];

		keys[i] = (struct keyed){
		    .key =
			by_weight ? weight_key(w, n_weights, labels) : order_key(ordered, labels),
		    .place = i,
		    .idx = idx[i],
		};
	}
	qsort(keys, n, sizeof(*keys), cmp_keyed);
	for (size_t i = 0; i < n; i++)
		idx[i] = keys[i].idx;
}

struct term {
	struct str key, value;
	size_t matches;
	size_t place;
};

static bool term_matches(const struct term *t, const val *labels)
{
	const val *v = val_getn(labels, t->key);

	return val_is_str(v) && str_eq(val_str(v), t->value);
}

static int cmp_terms(const void *pa, const void *pb)
{
	const struct term *a = pa, *b = pb;

	if (a->matches != b->matches)
		return a->matches > b->matches ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

/* The terms that match any candidate, those that match most first. */
static struct term *find_terms(arena *a, const struct cloneset_strategy *s, const uint32_t *idx,
			       size_t n, size_t *n_terms)
{
	struct term *terms = arena_alloc(a, (val_len(s->scatter) + 1) * sizeof(*terms));

	*n_terms = 0;
	for (size_t i = 0; i < val_len(s->scatter); i++) {
		const val *v = val_at(s->scatter, i);
		struct term t = {val_str(val_get(v, "key")), val_str(val_get(v, "value")), 0, i};

		for (size_t k = 0; t.key.p && k < n; k++)
			t.matches += term_matches(&t, s->labels[idx[k]]);
		if (t.matches)
			terms[(*n_terms)++] = t;
	}
	qsort(terms, *n_terms, sizeof(*terms), cmp_terms);
	return terms;
}

/* Of m matching and n − m other candidates, place i gets a matching one whenever i × m / n crosses
 * an integer: evenly spread, and the last is a matching one. */
static void scatter(arena *a, const struct cloneset_strategy *s, const struct term *t,
		    uint32_t *idx, size_t n)
{
	uint32_t *match = arena_alloc(a, (n + 1) * sizeof(*match));
	uint32_t *other = arena_alloc(a, (n + 1) * sizeof(*other));
	size_t m = 0, o = 0, from_match = 0, from_other = 0;

	for (size_t i = 0; i < n; i++) {
		if (term_matches(t, s->labels[idx[i]]))
			match[m++] = idx[i];
		else
			other[o++] = idx[i];
	}
	for (size_t i = 0; i < n; i++) {
		if ((i + 1) * m / n > i * m / n)
			idx[i] = match[from_match++];
		else
			idx[i] = other[from_other++];
	}
}

void cloneset_order_by_scatter(arena *a, const struct cloneset_strategy *s, uint32_t *idx, size_t n)
{
	size_t n_terms;
	struct term *terms = find_terms(a, s, idx, n, &n_terms);

	for (size_t i = 0; i < n_terms; i++)
		scatter(a, s, &terms[i], idx, n);
}
