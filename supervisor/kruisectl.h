/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_KRUISECTL_H
#define SUPERVISOR_KRUISECTL_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "ipc/ctl.h"

enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

/* Sends a request to kruised and hands over the lines of its answer as they come. Returns the exit
 * status; errors are told on stderr. -EINVAL: the words make no request, *e says why. */
typedef void (*ctl_body_fn)(struct str text, void *userdata);
int ctl_ask(const char *dir, size_t n, char *const *words, ctl_body_fn fn, void *userdata,
	    struct err *e);

/* kruisectl explain: why a workload stands where it stands. words: what follows "explain". */
int explain_main(const char *dir, int n, char **words);
extern const char explain_usage[];

/* "3.2s", "12m5s", "2d3h"; "-" for UINT64_MAX. */
void format_usec(uint64_t usec, char *out, size_t size);

#endif
