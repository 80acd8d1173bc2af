/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBHOOKD_TLS_H
#define WEBHOOKD_TLS_H

#include "ipc/base/err.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdbool.h>

/*
 * The certificate that the admission server shows. It can be replaced at any time: handshakes that
 * are under way finish with the one that they began with, connections that exist go on.
 */

/* Takes the certificate chain and key (PEM, in one text) from a file. */
int tls_load(const char *path, struct err *e);
bool tls_loaded(void);
void tls_unload(void);

/* For MHD_OPTION_HTTPS_CERT_CALLBACK. */
int tls_retrieve(gnutls_session_t session, const gnutls_datum_t *ca_names, int n_ca_names,
		 const gnutls_pk_algorithm_t *algorithms, int n_algorithms, gnutls_pcert_st **pcert,
		 unsigned int *n_pcert, gnutls_privkey_t *key);

#endif
