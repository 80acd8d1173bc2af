/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's list-and-watch, built into this program too. */
#include "tests/cluster/nodesim/reflect.c" /* NOLINT(bugprone-suspicious-include) */
