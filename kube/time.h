/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_TIME_H
#define KUBE_TIME_H

#include "kube/value.h"

/* Times of the API: RFC 3339 text on the wire, signed 64-bit counts since 1970 (UTC) in memory. */

/* "2026-12-01T10:00:00Z", with fractional seconds (any number of digits, cut to microseconds) and
 * offsets ("+01:00"). False when it is anything else; *out is then unchanged. */
bool k8s_time_parse_usec(struct str s, int64_t *usec);
bool k8s_time_parse(struct str s, int64_t *seconds); /* fractions are cut off */

/* The same for a field of an object; the fallback when it is absent, null or malformed. */
int64_t k8s_time_of(const val *v, int64_t fallback_seconds);
int64_t k8s_time_usec_of(const val *v, int64_t fallback_usec);

#define K8S_TIME_LEN 32 /* room for any result, NUL included */
/* metav1.Time: "2026-12-01T10:00:00Z". Years outside 0…9999 are clamped. Returns out. */
char *k8s_time_format(char *out, size_t n, int64_t seconds);
/* metav1.MicroTime: "2026-12-01T10:00:00.000000Z". Returns out. */
char *k8s_microtime_format(char *out, size_t n, int64_t usec);
/* metav1.Time as a string value in the arena. */
val k8s_time_val(arena *a, int64_t seconds);
val k8s_microtime_val(arena *a, int64_t usec);

/* metav1.Duration, as Go writes them: "1h30m", "-1.5s", "300ms", "0". False when malformed or
 * beyond int64 microseconds. Nanoseconds are cut to microseconds. */
bool k8s_duration_parse(struct str s, int64_t *usec);
#define K8S_DURATION_LEN 40
/* As Go prints them: "1h30m0s", "1.5s", "300ms", "0s". Returns out. */
char *k8s_duration_format(char *out, size_t n, int64_t usec);

/* The wall clock, for callers that hand "now" to pure code. */
int64_t k8s_now(void);
int64_t k8s_now_usec(void);

#endif
