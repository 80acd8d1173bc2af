/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/buf.h"
#include "kube/base64.h"
#include "kube/config_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A cluster, user or context, with the file that it comes from. */
struct entry {
	const struct config_doc *doc;
	const val *v;
	const char *what; /* "cluster \"kind\"", for errors */
	struct err *e;
};

static int bad(const struct entry *x, const char *field, const char *why)
{
	return err_set(x->e, EINVAL, "%s: %s: %s %s", x->doc->name, x->what, field, why);
}

/* Copies a string field; absent and empty give NULL. */
static int get_string(const struct entry *x, const char *field, char **out)
{
	const val *v = val_get(x->v, field);
	struct str s = val_str(v);
	if (val_is_null(v))
		return 0;
	if (v->type == MSGPACK_OBJECT_BOOLEAN) /* a token may well be the word true */
		s = str_of(v->via.boolean ? "true" : "false");
	else if (!s.p)
		return bad(x, field, "is no string");
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return bad(x, field, "holds a control character");
	}
	if (s.n)
		*out = xstrndup(s.p, s.n);
	return 0;
}

static int get_path(const struct entry *x, const char *field, char **out)
{
	_cleanup_free_ char *path = NULL;
	int r = get_string(x, field, &path);
	if (r < 0 || !path)
		return r;
	*out = *path == '/' || !x->doc->dir ? xstrdup(path) : xasprintf("%s/%s", x->doc->dir, path);
	return 0;
}

static int get_pem(const struct entry *x, const char *field, char **out)
{
	const val *v = val_get(x->v, field);
	struct str s = val_str(v);
	if (val_is_null(v) || (s.p && s.n == 0))
		return 0;
	if (!s.p)
		return bad(x, field, "is no string");
	struct buf b = {0};
	bool ok = base64_decode(&b, s.p, s.n);
	if (!ok || strlen(buf_str(&b)) != b.len || !strstr(buf_str(&b), "-----BEGIN ")) {
		buf_free(&b);
		return bad(x, field, ok ? "holds no PEM block" : "is no valid base64");
	}
	*out = b.p;
	return 0;
}

static int read_cluster(const struct entry *x, struct k8s_config *c)
{
	int r = get_string(x, "server", &c->server);
	if (r == 0)
		r = get_string(x, "tls-server-name", &c->tls_server_name);
	if (r == 0)
		r = get_string(x, "proxy-url", &c->proxy_url);
	if (r == 0)
		r = get_path(x, "certificate-authority", &c->ca_file);
	if (r == 0)
		r = get_pem(x, "certificate-authority-data", &c->ca_data);
	if (r < 0)
		return r;
	c->insecure_skip_tls_verify = val_bool(val_get(x->v, "insecure-skip-tls-verify"));
	if (!c->server)
		return bad(x, "server", "is missing");
	if (strncmp(c->server, "https://", 8) != 0 && strncmp(c->server, "http://", 7) != 0)
		return bad(x, "server", "is no http:// or https:// URL");
	for (size_t n = strlen(c->server); n > 0 && c->server[n - 1] == '/';)
		c->server[--n] = '\0';
	return 0;
}

static int read_exec_args(const struct entry *x, struct k8s_exec *out)
{
	const val *args = val_get(x->v, "args");
	if (!val_is_null(args) && !val_is_array(args))
		return bad(x, "exec.args", "is no list");
	out->args = xcalloc(val_len(args) + 1, sizeof(*out->args));
	for (size_t i = 0; i < val_len(args); i++) {
		struct str s = val_str(val_at(args, i));
		if (!s.p || memchr(s.p, '\0', s.n))
			return bad(x, "exec.args", "holds something else than strings");
		out->args[i] = xstrndup(s.p, s.n);
	}
	return 0;
}

static int read_exec_env(const struct entry *x, struct k8s_exec *out)
{
	const val *env = val_get(x->v, "env");
	if (!val_is_null(env) && !val_is_array(env))
		return bad(x, "exec.env", "is no list");
	out->env = xcalloc(val_len(env) + 1, sizeof(*out->env));
	for (size_t i = 0; i < val_len(env); i++) {
		struct str name = val_str(val_get(val_at(env, i), "name"));
		struct str value = val_str(val_get(val_at(env, i), "value"));
		if (name.n == 0 || memchr(name.p, '\0', name.n) || memchr(name.p, '=', name.n) ||
		    (value.n && memchr(value.p, '\0', value.n)))
			return bad(x, "exec.env", "holds something else than {name, value}");
		out->env[i] = xasprintf("%.*s=%.*s", STR_ARG(name), STR_ARG(value));
	}
	return 0;
}

static int read_exec(const struct entry *user, struct k8s_config *c)
{
	struct entry x = *user;
	x.v = val_get(user->v, "exec");
	if (val_is_null(x.v))
		return 0;
	if (!val_is_map(x.v))
		return bad(user, "exec", "is no map");
	c->exec = xcalloc(1, sizeof(*c->exec));
	c->exec->api_version = xstrdup("client.authentication.k8s.io/v1");
	_cleanup_free_ char *version = NULL;
	int r = get_string(&x, "apiVersion", &version);
	if (r == 0)
		r = get_path(&x, "command", &c->exec->command);
	if (r < 0)
		return r;
	if (!version || (strcmp(version, "client.authentication.k8s.io/v1") != 0 &&
			 strcmp(version, "client.authentication.k8s.io/v1beta1") != 0))
		return bad(user, "exec.apiVersion",
			   "is not client.authentication.k8s.io/v1 or v1beta1");
	if (!c->exec->command)
		return bad(user, "exec.command", "is missing");
	free(c->exec->api_version);
	c->exec->api_version = version;
	version = NULL;
	/* a bare name is looked up in PATH, a relative path belongs to the file's folder */
	struct str raw = val_str(val_get(x.v, "command"));
	if (raw.p && !memchr(raw.p, '/', raw.n)) {
		free(c->exec->command);
		c->exec->command = xstrndup(raw.p, raw.n);
	}
	r = read_exec_args(&x, c->exec);
	return r < 0 ? r : read_exec_env(&x, c->exec);
}

static int read_user(const struct entry *x, struct k8s_config *c)
{
	int r = get_string(x, "token", &c->token);
	if (r == 0)
		r = get_path(x, "tokenFile", &c->token_file);
	if (r == 0)
		r = get_string(x, "username", &c->username);
	if (r == 0)
		r = get_string(x, "password", &c->password);
	if (r == 0)
		r = get_path(x, "client-certificate", &c->cert_file);
	if (r == 0)
		r = get_pem(x, "client-certificate-data", &c->cert_data);
	if (r == 0)
		r = get_path(x, "client-key", &c->key_file);
	if (r == 0)
		r = get_pem(x, "client-key-data", &c->key_data);
	if (r == 0)
		r = read_exec(x, c);
	if (r < 0)
		return r;
	if ((c->cert_data || c->cert_file) && !(c->key_data || c->key_file))
		return bad(x, "client-key", "is missing, though there is a client certificate");
	if (!val_is_null(val_get(x->v, "auth-provider")))
		return bad(x, "auth-provider", "is not supported; use an exec plugin");
	return 0;
}

/* The first file with an entry of that name in the list counts. */
static int find_entry(const struct config_doc *docs, size_t n, const char *list, const char *kind,
		      struct str name, arena *a, struct entry *out)
{
	for (size_t i = 0; i < n; i++) {
		const val *item = val_find(val_get(&docs[i].root, list), "name", name);
		if (!item)
			continue;
		out->doc = &docs[i];
		out->v = val_get(item, kind);
		out->what = arena_printf(a, "%s \"%.*s\"", kind, STR_ARG(name));
		if (!val_is_map(out->v) && !val_is_null(out->v))
			return bad(out, kind, "is no map");
		return 0;
	}
	return err_set(out->e, EINVAL, "%s: there is no %s \"%.*s\"", docs[0].name, kind,
		       STR_ARG(name));
}

static struct str current_context(const struct config_doc *docs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str s = val_str(val_get(&docs[i].root, "current-context"));
		if (s.n)
			return s;
	}
	return (struct str){0};
}

int config_from_docs(struct k8s_config **out, arena *a, const struct config_doc *docs, size_t n,
		     const char *context, struct err *e)
{
	struct entry x = {.e = e};
	struct str name = context && *context ? str_of(context) : current_context(docs, n);
	if (!name.n)
		return err_set(e, EINVAL, "%s: current-context is not set", docs[0].name);
	int r = find_entry(docs, n, "contexts", "context", name, a, &x);
	if (r < 0)
		return r;
	_cleanup_k8s_config_ struct k8s_config *c = xcalloc(1, sizeof(*c));
	c->source = xstrdup(x.doc->name);
	struct str cluster = val_str(val_get(x.v, "cluster"));
	struct str user = val_str(val_get(x.v, "user"));
	r = get_string(&x, "namespace", &c->namespace);
	if (r < 0)
		return r;
	if (!cluster.n)
		return bad(&x, "cluster", "is missing");
	r = find_entry(docs, n, "clusters", "cluster", cluster, a, &x);
	if (r == 0)
		r = read_cluster(&x, c);
	if (r == 0 && user.n)
		r = find_entry(docs, n, "users", "user", user, a, &x);
	if (r == 0 && user.n)
		r = read_user(&x, c);
	if (r < 0)
		return r;
	*out = c;
	c = NULL;
	return 0;
}
