/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/config_int.h"
#include "kube/exec_plugin.h"
#include "kube/rest_int.h"
#include "kube/time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REREAD_USEC ((uint64_t)60 * 1000000)
/* Exec credentials are renewed this long before they end. */
#define EARLY_USEC ((int64_t)10 * 1000000)
/* After a failure, and however often 401 comes, a plugin is not run more often than this. */
#define EXEC_PAUSE_USEC ((uint64_t)5 * 1000000)

static char *dup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Takes the strings over. True when something changed. */
static bool use(struct auth *a, char *token, char *cert, char *key)
{
	bool changed = !same(a->token, token) || !same(a->cert, cert) || !same(a->key, key);
	free(a->token);
	free(a->cert);
	free(a->key);
	a->token = token;
	a->cert = cert;
	a->key = key;
	if (changed)
		a->generation++;
	return changed;
}

static int read_token(struct k8s_client *c, bool *renewed, struct err *e)
{
	struct auth *a = &c->auth;
	char *token = NULL;
	a->reread_usec = client_mono() + REREAD_USEC;
	int r = config_read_token(c->config->token_file, &token, e);
	if (r < 0) {
		/* one that may still be good beats none */
		if (!a->token)
			return r;
		log_warn("keeping the old token: %s", e->msg);
		return 0;
	}
	*renewed = use(a, token, dup_or_null(a->cert), dup_or_null(a->key));
	return 0;
}

static int run_plugin(struct k8s_client *c, bool *renewed, struct err *e)
{
	struct auth *a = &c->auth;
	uint64_t now = client_mono();
	if (now < a->reread_usec)
		return a->token || a->cert ? 0 : err_set(e, EAGAIN, "no credentials yet");
	a->reread_usec = now + EXEC_PAUSE_USEC;
	struct exec_credential x;
	int r = exec_plugin_run(c->config->exec, &x, e);
	if (r < 0)
		return r;
	a->expires_usec = x.expires_usec;
	*renewed = use(a, x.token, x.cert ? x.cert : dup_or_null(c->config->cert_data),
		       x.key ? x.key : dup_or_null(c->config->key_data));
	return 0;
}

int auth_init(struct k8s_client *c, struct err *e)
{
	const struct k8s_config *cfg = c->config;
	bool renewed;
	struct err mine = {0};
	use(&c->auth, dup_or_null(cfg->token), dup_or_null(cfg->cert_data),
	    dup_or_null(cfg->key_data));
	int r = 0;
	if (cfg->token_file)
		r = read_token(c, &renewed, &mine);
	else if (cfg->exec)
		r = run_plugin(c, &renewed, &mine);
	if (r < 0 && e)
		*e = mine;
	return r;
}

int auth_renew(struct k8s_client *c, bool now, bool *renewed, struct err *e)
{
	const struct auth *a = &c->auth;
	struct err mine = {0};
	int r = 0;
	*renewed = false;
	if (c->config->token_file && (now || client_mono() >= a->reread_usec)) {
		r = read_token(c, renewed, &mine);
	} else if (c->config->exec) {
		bool due = a->expires_usec && k8s_now_usec() + EARLY_USEC >= a->expires_usec;
		if (now || due)
			r = run_plugin(c, renewed, &mine);
		/* what has not run out yet is good for this call */
		if (r < 0 && !now && k8s_now_usec() < a->expires_usec)
			r = 0;
	}
	if (r < 0 && e)
		*e = mine;
	return r;
}

void auth_exit(struct auth *a)
{
	use(a, NULL, NULL, NULL);
}
