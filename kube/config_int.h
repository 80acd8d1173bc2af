/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_INT_H
#define KUBE_CONFIG_INT_H

#include "kube/config.h"
#include "kube/value.h"

#define CONFIG_MAX_FILE ((size_t)4 << 20)

/* Reads a whole file, NUL-terminated (the NUL is not counted). Errors name the path. */
int config_read_file(const char *path, char **out, size_t *n, struct err *e);

/* A token file's content without the white space around it; -EINVAL when nothing is left. */
int config_read_token(const char *path, char **out, struct err *e);

/* YAML (hence JSON) as a value in the arena: plain null, true and false are themselves, every other
 * scalar is a string. Size and depth are bounded, aliases included. */
int config_yaml_parse(arena *a, const char *p, size_t n, val *out, struct err *e);

/* A kubeconfig file read in. */
struct config_doc {
	const char *name; /* for errors */
	const char *dir;  /* NULL: relative paths stay */
	val root;
};
int config_from_docs(struct k8s_config **out, arena *a, const struct config_doc *docs, size_t n,
		     const char *context, struct err *e);

#endif
