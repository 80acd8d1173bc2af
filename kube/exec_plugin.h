/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_EXEC_PLUGIN_H
#define KUBE_EXEC_PLUGIN_H

#include "kube/config.h"

#define EXEC_PLUGIN_LIMIT_SECONDS 10

/* What a plugin gave. Strings are owned; NULL when not given. */
struct exec_credential {
	char *token;
	char *cert; /* PEM */
	char *key;
	int64_t expires_usec; /* CLOCK_REALTIME; 0 = it did not say */
};

/*
 * Runs the command and reads the ExecCredential that it prints. Blocks for
 * EXEC_PLUGIN_LIMIT_SECONDS at most; the command is killed then.
 */
int exec_plugin_run(const struct k8s_exec *x, struct exec_credential *out, struct err *e);

/* The parsing alone. */
int exec_credential_parse(const char *json, size_t n, struct exec_credential *out, struct err *e);
void exec_credential_clear(struct exec_credential *c);

#endif
