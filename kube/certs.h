/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CERTS_H
#define KUBE_CERTS_H

#include "ipc/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A self-signed CA and a server certificate under it, ECDSA P-256, in PEM. */
struct cert_set {
	char *ca_cert, *ca_key;
	char *cert, *key;
};
void cert_set_free(struct cert_set *s); /* leaves it zeroed */

/* Makes both, valid from an hour before now for ten years. host: a DNS name or an IP address, which
 * goes into subjectAltName as what it is. now: seconds. */
int cert_set_make(struct cert_set *out, const char *host, int64_t now, struct err *e);

/*
 * Whether the set can be used for host until renew_before_sec from now on: all parts there and
 * readable, the key belongs to the certificate, the certificate is signed by the CA, names the
 * host, and neither is expired or about to be. If not, false and why in `why` (may be NULL).
 */
bool cert_set_check(const struct cert_set *s, const char *host, int64_t now,
		    int64_t renew_before_sec, struct err *why);

#endif
