/* SPDX-License-Identifier: Apache-2.0 */
#include "webhookd/tls.h"

#include "ipc/base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_MAX 4
#define PEM_MAX (256u << 10)

struct identity {
	gnutls_pcert_st chain[CHAIN_MAX];
	unsigned n;
	gnutls_privkey_t key;
};

/* libmicrohttpd's callback has no argument of ours, hence the one global of webhookd. The previous
 * identity is kept for handshakes that began with it: they end within seconds, certificates change
 * within months. */
static struct identity *current, *previous;

static void identity_free(struct identity *id)
{
	if (!id)
		return;
	for (unsigned i = 0; i < id->n; i++)
		gnutls_pcert_deinit(&id->chain[i]);
	if (id->key)
		gnutls_privkey_deinit(id->key);
	free(id);
}

static int parse(struct identity *id, const gnutls_datum_t *pem)
{
	id->n = CHAIN_MAX;
	int rc = gnutls_pcert_list_import_x509_raw(id->chain, &id->n, pem, GNUTLS_X509_FMT_PEM, 0);
	if (rc < 0) {
		id->n = 0;
		return rc;
	}
	rc = gnutls_privkey_init(&id->key);
	if (rc == 0)
		rc = gnutls_privkey_import_x509_raw(id->key, pem, GNUTLS_X509_FMT_PEM, NULL, 0);
	return rc;
}

int tls_load(const char *path, struct err *e)
{
	gnutls_datum_t pem;
	int rc = gnutls_load_file(path, &pem);
	if (rc < 0)
		return err_set(e, ENOENT, "%s: %s", path, gnutls_strerror(rc));
	struct identity *id = xcalloc(1, sizeof(*id));
	rc = pem.size > PEM_MAX ? GNUTLS_E_PARSING_ERROR : parse(id, &pem);
	gnutls_memset(pem.data, 0, pem.size);
	gnutls_free(pem.data);
	if (rc < 0) {
		identity_free(id);
		return err_set(e, EINVAL, "%s: %s", path, gnutls_strerror(rc));
	}
	identity_free(previous);
	previous = current;
	current = id;
	return 0;
}

bool tls_loaded(void)
{
	return current != NULL;
}

void tls_unload(void)
{
	identity_free(previous);
	identity_free(current);
	previous = current = NULL;
}

int tls_retrieve(gnutls_session_t session, const gnutls_datum_t *ca_names, int n_ca_names,
		 const gnutls_pk_algorithm_t *algorithms, int n_algorithms, gnutls_pcert_st **pcert,
		 unsigned int *n_pcert, gnutls_privkey_t *key)
{
	(void)session;
	(void)ca_names;
	(void)n_ca_names;
	(void)algorithms;
	(void)n_algorithms;
	if (!current)
		return -1;
	*pcert = current->chain;
	*n_pcert = current->n;
	*key = current->key;
	return 0;
}
