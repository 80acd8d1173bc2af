/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_BASE_ERR_H
#define IPC_BASE_ERR_H

/*
 * Errors are values. A function that can fail takes a `struct err *` as its last argument, returns
 * 0 (or a count) on success and a negative errno on failure, and describes the failure in the
 * value. The value lives on the caller's stack and owns nothing. NULL is accepted everywhere: the
 * caller then learns only the number.
 */
struct err {
	int num; /* positive errno, 0 when nothing failed */
	char msg[496];
};

/* Describes a failure. Returns -num, so that `return err_set(e, EINVAL, …)` reads well. */
int err_set(struct err *e, int num, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts context in front of what is there: "context: message". Returns -e->num. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
