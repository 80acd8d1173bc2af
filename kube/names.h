/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_NAMES_H
#define KUBE_NAMES_H

#include "kube/value.h"

/*
 * The kinds of names in Kubernetes' API. Each function returns NULL when the text is well-formed,
 * else a static sentence that says what it must look like. The absent string is as the empty one.
 */
const char *name_check_dns1123_label(struct str s);	/* "web-1", up to 63 */
const char *name_check_dns1123_subdomain(struct str s); /* "a.b-c", up to 253 */
const char *name_check_dns1035_label(struct str s);	/* as a label, first a letter */
const char *name_check_annotation_key(struct str s); /* as qualified; capitals in the prefix too */
const char *name_check_qualified(struct str s);	     /* "prefix.io/Name_1", label keys */
const char *name_check_label_value(struct str s);    /* empty, or up to 63 */
const char *name_check_env_var(struct str s);	     /* "MY_ENV.NAME" */
const char *name_check_port(struct str s);	     /* "http", up to 15, IANA service name */
const char *name_check_config_key(struct str s);     /* keys of ConfigMaps and Secrets */
const char *name_check_ip(struct str s);	     /* IPv4 or IPv6 */

#endif
