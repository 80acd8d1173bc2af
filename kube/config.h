/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "ipc/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A command that yields credentials (client.authentication.k8s.io v1 and v1beta1). */
struct k8s_exec {
	char *api_version;
	char *command;
	char **args; /* NULL-terminated, without the command; NULL when there are none */
	char **env;  /* "NAME=value", added to our own environment; NULL-terminated or NULL */
};

/*
 * How to reach an API server, and as whom. All strings are owned by the value; what is not given is
 * NULL. Files named by a kubeconfig are resolved against its folder. PEM in *_data wins over
 * *_file; loading reads the files of certificates and keys into *_data, so that only token_file
 * (which rotates) is read again later.
 */
struct k8s_config {
	char *server; /* "https://host:port", without a trailing slash */
	char *tls_server_name;
	bool insecure_skip_tls_verify;
	char *ca_data;
	char *ca_file;
	char *cert_data;
	char *cert_file;
	char *key_data;
	char *key_file;
	char *token;
	char *token_file;
	char *username;
	char *password;
	char *proxy_url;
	struct k8s_exec *exec;

	char *namespace; /* of the context, or of the in-cluster service account */
	char *source;	 /* where this comes from: a path, or "in-cluster" */
};

/*
 * Loads from the first of these that applies: the given path; $KUBECONFIG (a colon list, merged:
 * the first file that names a thing wins; missing files are skipped); the in-cluster service
 * account;
 * ~/.kube/config. context NULL is the file's current-context. Errors name the file and the field.
 * -ENOENT: there is no configuration at all.
 */
int k8s_config_load(struct k8s_config **out, const char *kubeconfig, const char *context,
		    struct err *e);

/* Where the in-cluster files are: /var/run/secrets/kubernetes.io/serviceaccount. Another root is
 * for tests. -ENOENT when KUBERNETES_SERVICE_HOST or the token file is absent. */
int k8s_config_load_in_cluster(struct k8s_config **out, const char *dir, struct err *e);

/* Parses one kubeconfig held in memory. name is used in errors, dir resolves relative paths (NULL:
 * they stay as they are). Files it names are not read: k8s_config_read_files() does. */
int k8s_config_parse(struct k8s_config **out, const char *yaml, size_t n, const char *name,
		     const char *dir, const char *context, struct err *e);
int k8s_config_read_files(struct k8s_config *c, struct err *e);

struct k8s_config *k8s_config_copy(const struct k8s_config *c);
void k8s_config_free(struct k8s_config *c);
void k8s_config_freep(struct k8s_config **c);
#define _cleanup_k8s_config_ __attribute__((cleanup(k8s_config_freep)))

#endif
