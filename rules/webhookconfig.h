/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_WEBHOOKCONFIG_H
#define RULES_WEBHOOKCONFIG_H

#include "rules/webhookpaths.h"

/* What the two webhook configurations should look like. */

#define MUTATING_CONFIG_NAME "kruise-mutating-webhook-configuration"
#define VALIDATING_CONFIG_NAME "kruise-validating-webhook-configuration"
/* Annotation that holds all webhooks as they were installed, as JSON: those whose path is not
 * served, or whose gate is off, are taken out of the object and come back from here. */
#define ANNO_WEBHOOK_TEMPLATE "template"

struct webhook_endpoint {
	const char *url;       /* "https://HOST:PORT", or NULL: through the service */
	const char *namespace; /* of the service */
	const char *service;
	const char *ca_bundle; /* base64 of the CA's PEM */
	struct gates gates;    /* webhooks of features that are off stay out */
};

/*
 * existing: the configuration as the API server has it, or NULL. *out: the object to create or to
 * update with (a copy of existing with everything else kept). Returns false when nothing is to be
 * written.
 */
bool webhookconfig_desired(arena *a, enum webhook_kind kind, const val *existing,
			   const struct webhook_endpoint *endpoint, val *out);

/* CRDs of which the API server asks us to convert objects, by name; ends with NULL. */
extern const char *const conversion_crds[];

/*
 * Brings spec.conversion of a CRD to point at us. Only one with several versions is changed: others
 * need no conversion. *out is a copy of crd with everything else kept; false when nothing is to be
 * written.
 */
bool conversion_desired(arena *a, const val *crd, const struct webhook_endpoint *endpoint,
			val *out);
/* Whether a CRD that needs conversion carries this CA; true for one that needs none. */
bool conversion_trusts(const val *crd, struct str ca_bundle);

/* Whether every webhook of the configuration carries this CA (readiness). False when it has none.
 */
bool webhookconfig_trusts(const val *config, struct str ca_bundle);

#endif
