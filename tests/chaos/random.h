/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHAOS_RANDOM_H
#define CHAOS_RANDOM_H

#include <stdint.h>

/* splitmix64: the seed decides all that follows. */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 … n−1; n > 0 */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(rng_next(r) % n);
}

/* lo … hi */
static inline int32_t rng_between(struct rng *r, int32_t lo, int32_t hi)
{
	return lo + (int32_t)rng_below(r, (uint32_t)(hi - lo + 1));
}

/* True in percent of 100 cases. */
static inline int rng_chance(struct rng *r, uint32_t percent)
{
	return rng_below(r, 100) < percent;
}

#endif
