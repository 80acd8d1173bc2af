/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_WEBHOOKCONFIG_WEBHOOKCONFIG_H
#define WORKERS_WEBHOOKCONFIG_WEBHOOKCONFIG_H

#include "kube/certs.h"
#include "rules/webhookconfig.h"
#include "workers/runtime/worker.h"

/* The worker's inside. One round = certificates, then configurations; rounds never overlap. */
struct webhookconfig {
	struct worker w;
	/* from the environment */
	const char *namespace, *service, *secret_name, *cert_dir;
	char *host; /* the name in the certificate */
	char *url;  /* "https://HOST:PORT", or NULL for service mode */
	bool files; /* certificates are kept in cert_dir, not in the Secret */
	int64_t renew_before;

	struct cert_set certs;
	char *ca_base64;
	sd_event_source *timer; /* of the next round */
	bool busy;
	bool again;  /* something has changed while busy */
	bool set_up; /* a round has succeeded */
	unsigned failures;
	uint64_t soonest; /* no round before this time, for failures */
	size_t target;	  /* what configure.c is looking at */
};

/* certificates.c: reads, or makes and keeps, the certificates; then calls
 * webhookconfig_have_certs() or webhookconfig_failed(), maybe before it returns. */
void webhookconfig_certs(struct webhookconfig *wc);
void webhookconfig_have_certs(struct webhookconfig *wc);

/* configure.c: brings both configurations and the CRDs' conversion up to date; then
 * webhookconfig_done() or _failed(). */
void webhookconfig_configure(struct webhookconfig *wc);
/* Whether an object of this name is one of them. */
bool webhookconfig_is_target(struct str name);

/* The round is over. */
void webhookconfig_done(struct webhookconfig *wc);
void webhookconfig_failed(struct webhookconfig *wc, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
