/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include "tests/bench/bench.h"

/* The objects that the bare client of `kruise-bench floor` writes. */
#define FLOOR_APP "bench-floor"
#define FLOOR_GATE "InPlaceUpdateReady"

val floor_owner(arena *a); /* a ConfigMap in the part of the CloneSet */
val floor_pod(arena *a, int64_t i, struct str owner_uid);
/* The condition of the readiness gate, and Ready = False with it: a status patch. */
val floor_gate_patch(arena *a, bool ready);
val floor_state_patch(arena *a, const char *state);
val floor_image_patch(arena *a, const char *image);

#endif
