/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config.h"

#include "ipc/base/buf.h"
#include "kube/config_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IN_CLUSTER_DIR "/var/run/secrets/kubernetes.io/serviceaccount"
#define MAX_KUBECONFIGS 32

static void free_strv(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

static char **copy_strv(char *const *v)
{
	size_t n = 0;
	if (!v)
		return NULL;
	while (v[n])
		n++;
	char **out = xcalloc(n + 1, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = xstrdup(v[i]);
	return out;
}

/* Where the plain strings are, for copying and freeing. */
static const size_t strings[] = {
    offsetof(struct k8s_config, server),    offsetof(struct k8s_config, tls_server_name),
    offsetof(struct k8s_config, ca_data),   offsetof(struct k8s_config, ca_file),
    offsetof(struct k8s_config, cert_data), offsetof(struct k8s_config, cert_file),
    offsetof(struct k8s_config, key_data),  offsetof(struct k8s_config, key_file),
    offsetof(struct k8s_config, token),	    offsetof(struct k8s_config, token_file),
    offsetof(struct k8s_config, username),  offsetof(struct k8s_config, password),
    offsetof(struct k8s_config, proxy_url), offsetof(struct k8s_config, namespace),
    offsetof(struct k8s_config, source),
};
#define N_STRINGS (sizeof(strings) / sizeof(strings[0]))

static char **string_at(const struct k8s_config *c, size_t i)
{
	return (char **)((uintptr_t)c + strings[i]);
}

void k8s_config_free(struct k8s_config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < N_STRINGS; i++) {
		char *s = *string_at(c, i);
		if (s)
			explicit_bzero(s, strlen(s)); /* keys and tokens among them */
		free(s);
	}
	if (c->exec) {
		free(c->exec->api_version);
		free(c->exec->command);
		free_strv(c->exec->args);
		free_strv(c->exec->env);
		free(c->exec);
	}
	free(c);
}

void k8s_config_freep(struct k8s_config **c)
{
	k8s_config_free(*c);
}

struct k8s_config *k8s_config_copy(const struct k8s_config *c)
{
	struct k8s_config *out = xcalloc(1, sizeof(*out));
	for (size_t i = 0; i < N_STRINGS; i++) {
		const char *s = *string_at(c, i);
		*string_at(out, i) = s ? xstrdup(s) : NULL;
	}
	out->insecure_skip_tls_verify = c->insecure_skip_tls_verify;
	if (c->exec) {
		out->exec = xcalloc(1, sizeof(*out->exec));
		out->exec->api_version = xstrdup(c->exec->api_version);
		out->exec->command = xstrdup(c->exec->command);
		out->exec->args = copy_strv(c->exec->args);
		out->exec->env = copy_strv(c->exec->env);
	}
	return out;
}

static int read_fd(int fd, struct buf *b)
{
	for (;;) {
		buf_reserve(b, 4096);
		ssize_t n = read(fd, b->p + b->len, 4096);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		b->len += (size_t)n;
		b->p[b->len] = '\0';
		if (b->len > CONFIG_MAX_FILE)
			return -EFBIG;
	}
}

int config_read_file(const char *path, char **out, size_t *n, struct err *e)
{
	struct buf b = {0};
	struct stat st;
	/* not blocking: a FIFO in place of the file must not hang us */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	int r = fstat(fd, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? -EISDIR : read_fd(fd, &b);
	close(fd);
	if (r < 0) {
		buf_free(&b);
		return err_set(e, -r, "%s: %s", path, strerror(-r));
	}
	*out = b.p;
	*n = b.len;
	b.p[b.len] = '\0';
	return 0;
}

int config_read_token(const char *path, char **out, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	int r = config_read_file(path, &text, &n, e);
	if (r < 0)
		return r;
	static const char blank[] = " \t\r\n";
	char *from = text + strspn(text, blank);
	size_t len = strcspn(from, blank);
	/* a line break inside would end the header */
	if (len == 0 || from[len + strspn(from + len, blank)])
		return err_set(e, EINVAL, "%s: holds no token", path);
	*out = xstrndup(from, len);
	return 0;
}

static int read_pem(char **data, const char *path, const char *field, const char *source,
		    struct err *e)
{
	size_t n;
	if (*data || !path)
		return 0;
	int r = config_read_file(path, data, &n, e);
	if (r < 0) {
		err_wrap(e, "%s: %s", source, field);
		return r;
	}
	if (!strstr(*data, "-----BEGIN "))
		return err_set(e, EINVAL, "%s: %s: %s: no PEM block", source, field, path);
	return 0;
}

int k8s_config_read_files(struct k8s_config *c, struct err *e)
{
	int r = 0;
	if (!c->insecure_skip_tls_verify)
		r = read_pem(&c->ca_data, c->ca_file, "certificate-authority", c->source, e);
	if (r == 0)
		r = read_pem(&c->cert_data, c->cert_file, "client-certificate", c->source, e);
	if (r == 0)
		r = read_pem(&c->key_data, c->key_file, "client-key", c->source, e);
	return r;
}

int k8s_config_load_in_cluster(struct k8s_config **out, const char *dir, struct err *e)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	if (!host || !*host || !port || !*port)
		return err_set(e, ENOENT,
			       "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
	_cleanup_k8s_config_ struct k8s_config *c = xcalloc(1, sizeof(*c));
	_cleanup_free_ char *ns_file = xasprintf("%s/namespace", dir);
	_cleanup_free_ char *token = NULL;
	bool v6 = strchr(host, ':') != NULL;
	c->source = xstrdup("in-cluster");
	c->server = xasprintf("https://%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port);
	c->token_file = xasprintf("%s/token", dir);
	c->ca_file = xasprintf("%s/ca.crt", dir);
	int r = config_read_token(c->token_file, &token, e);
	if (r < 0)
		return r;
	r = k8s_config_read_files(c, e);
	if (r < 0)
		return r;
	if (config_read_token(ns_file, &c->namespace, NULL) < 0)
		c->namespace = xstrdup("default");
	*out = c;
	c = NULL;
	return 0;
}

static int load_doc(arena *a, const char *path, struct config_doc *doc, struct err *e)
{
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	int r = config_read_file(path, &text, &n, e);
	if (r < 0)
		return r;
	const char *slash = strrchr(path, '/');
	doc->name = arena_strndup(a, path, strlen(path));
	doc->dir = slash ? arena_strndup(a, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
	r = config_yaml_parse(a, text, n, &doc->root, e);
	if (r < 0)
		err_wrap(e, "%s", path);
	return r;
}

/* paths: a colon list. One file must exist; of several, those that do count. */
static int load_files(struct k8s_config **out, const char *paths, bool all_must_exist,
		      const char *context, struct err *e)
{
	_cleanup_arena_ arena *a = arena_new();
	struct config_doc docs[MAX_KUBECONFIGS];
	size_t n = 0;
	while (*paths) {
		size_t len = all_must_exist ? strlen(paths) : strcspn(paths, ":");
		_cleanup_free_ char *path = xstrndup(paths, len);
		paths += len + (paths[len] == ':');
		if (!*path)
			continue;
		if (n == MAX_KUBECONFIGS)
			return err_set(e, E2BIG, "KUBECONFIG names more than %d files",
				       MAX_KUBECONFIGS);
		int r = load_doc(a, path, &docs[n], e);
		if (r == -ENOENT && !all_must_exist)
			continue;
		if (r < 0)
			return r;
		n++;
	}
	if (n == 0)
		return err_set(e, ENOENT, "no file of KUBECONFIG exists: %s", getenv("KUBECONFIG"));
	int r = config_from_docs(out, a, docs, n, context, e);
	if (r < 0)
		return r;
	r = k8s_config_read_files(*out, e);
	if (r < 0) {
		k8s_config_free(*out);
		*out = NULL;
	}
	return r;
}

int k8s_config_parse(struct k8s_config **out, const char *yaml, size_t n, const char *name,
		     const char *dir, const char *context, struct err *e)
{
	_cleanup_arena_ arena *a = arena_new();
	struct config_doc doc = {.name = name, .dir = dir};
	int r = config_yaml_parse(a, yaml, n, &doc.root, e);
	if (r < 0) {
		err_wrap(e, "%s", name);
		return r;
	}
	return config_from_docs(out, a, &doc, 1, context, e);
}

int k8s_config_load(struct k8s_config **out, const char *kubeconfig, const char *context,
		    struct err *e)
{
	if (kubeconfig && *kubeconfig)
		return load_files(out, kubeconfig, true, context, e);
	const char *env = getenv("KUBECONFIG");
	if (env && *env)
		return load_files(out, env, false, context, e);
	int r = k8s_config_load_in_cluster(out, IN_CLUSTER_DIR, e);
	if (r != -ENOENT)
		return r;
	const char *home = getenv("HOME");
	_cleanup_free_ char *path = xasprintf("%s/.kube/config", home ? home : "");
	r = load_files(out, path, true, context, e);
	if (r == -ENOENT)
		return err_set(e, ENOENT,
			       "no way to the API server: no kubeconfig given, KUBECONFIG not set, "
			       "not inside a cluster, and no %s",
			       path);
	return r;
}
