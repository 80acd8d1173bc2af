/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/certs.h"

#include "ipc/base/buf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define VALID_SECONDS (3650ll * 86400)
#define BACKDATE_SECONDS 3600 /* the other side's clock may be behind */

static void crt_free(gnutls_x509_crt_t *c)
{
	if (*c)
		gnutls_x509_crt_deinit(*c);
}
static void key_free(gnutls_x509_privkey_t *k)
{
	if (*k)
		gnutls_x509_privkey_deinit(*k);
}
#define _cleanup_crt_ __attribute__((cleanup(crt_free)))
#define _cleanup_key_ __attribute__((cleanup(key_free)))

void cert_set_free(struct cert_set *s)
{
	free(s->ca_cert);
	free(s->ca_key);
	free(s->cert);
	free(s->key);
	*s = (struct cert_set){0};
}

static int failed(struct err *e, const char *what, int rc)
{
	return err_set(e, EIO, "%s: %s", what, gnutls_strerror(rc));
}

static int new_key(gnutls_x509_privkey_t *key, struct err *e)
{
	int rc = gnutls_x509_privkey_init(key);
	if (rc == 0)
		rc = gnutls_x509_privkey_generate2(*key, GNUTLS_PK_ECDSA,
						   GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
						   0, NULL, 0);
	return rc < 0 ? failed(e, "cannot make a key", rc) : 0;
}

/* What both certificates have in common. */
static int new_crt(gnutls_x509_crt_t *crt, gnutls_x509_privkey_t key, const char *cn, int64_t now,
		   struct err *e)
{
	unsigned char serial[16];
	if (getrandom(serial, sizeof(serial), 0) != sizeof(serial))
		return err_set(e, EIO, "getrandom failed");
	serial[0] &= 0x7f; /* positive */
	int rc = gnutls_x509_crt_init(crt);
	if (rc == 0)
		rc = gnutls_x509_crt_set_version(*crt, 3);
	if (rc == 0)
		rc = gnutls_x509_crt_set_serial(*crt, serial, sizeof(serial));
	if (rc == 0)
		rc = gnutls_x509_crt_set_dn_by_oid(*crt, GNUTLS_OID_X520_COMMON_NAME, 0, cn,
						   (unsigned)strnlen(cn, 64));
	if (rc == 0)
		rc = gnutls_x509_crt_set_activation_time(*crt, now - BACKDATE_SECONDS);
	if (rc == 0)
		rc = gnutls_x509_crt_set_expiration_time(*crt, now + VALID_SECONDS);
	if (rc == 0)
		rc = gnutls_x509_crt_set_key(*crt, key);
	return rc < 0 ? failed(e, "cannot make a certificate", rc) : 0;
}

static int set_host(gnutls_x509_crt_t crt, const char *host)
{
	unsigned char addr[16];
	if (inet_pton(AF_INET, host, addr) == 1)
		return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, addr, 4,
							    GNUTLS_FSAN_SET);
	if (inet_pton(AF_INET6, host, addr) == 1)
		return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, addr, 16,
							    GNUTLS_FSAN_SET);
	return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, host,
						    (unsigned)strlen(host), GNUTLS_FSAN_SET);
}

static char *take_pem(gnutls_datum_t *d)
{
	char *s = xstrndup((const char *)d->data, d->size);
	gnutls_free(d->data);
	return s;
}

static int export_pair(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key, char **cert_pem,
		       char **key_pem, struct err *e)
{
	gnutls_datum_t d;
	int rc = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &d);
	if (rc < 0)
		return failed(e, "cannot write a certificate", rc);
	*cert_pem = take_pem(&d);
	/* PKCS #8, which every reader of "key.pem" takes */
	rc = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
					       &d);
	if (rc < 0)
		return failed(e, "cannot write a key", rc);
	*key_pem = take_pem(&d);
	return 0;
}

static int finish_ca(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key, struct err *e)
{
	int rc = gnutls_x509_crt_set_basic_constraints(crt, 1, -1);
	if (rc == 0)
		rc = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_KEY_CERT_SIGN |
							    GNUTLS_KEY_DIGITAL_SIGNATURE);
	if (rc == 0)
		rc = gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0);
	return rc < 0 ? failed(e, "cannot sign the CA", rc) : 0;
}

static int finish_server(gnutls_x509_crt_t crt, const char *host, gnutls_x509_crt_t ca,
			 gnutls_x509_privkey_t ca_key, struct err *e)
{
	int rc = set_host(crt, host);
	if (rc == 0)
		rc = gnutls_x509_crt_set_basic_constraints(crt, 0, -1);
	if (rc == 0)
		rc = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
	if (rc == 0)
		rc = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
	if (rc == 0)
		rc = gnutls_x509_crt_sign2(crt, ca, ca_key, GNUTLS_DIG_SHA256, 0);
	return rc < 0 ? failed(e, "cannot sign the server's certificate", rc) : 0;
}

int cert_set_make(struct cert_set *out, const char *host, int64_t now, struct err *e)
{
	_cleanup_crt_ gnutls_x509_crt_t ca = NULL, crt = NULL;
	_cleanup_key_ gnutls_x509_privkey_t ca_key = NULL, key = NULL;
	*out = (struct cert_set){0};
	if (new_key(&ca_key, e) < 0 || new_key(&key, e) < 0 ||
	    new_crt(&ca, ca_key, "kruised-webhook-ca", now, e) < 0 ||
	    finish_ca(ca, ca_key, e) < 0 || new_crt(&crt, key, host, now, e) < 0 ||
	    finish_server(crt, host, ca, ca_key, e) < 0 ||
	    export_pair(ca, ca_key, &out->ca_cert, &out->ca_key, e) < 0 ||
	    export_pair(crt, key, &out->cert, &out->key, e) < 0) {
		cert_set_free(out);
		return -EIO;
	}
	return 0;
}

/* ---- checking ---- */

static bool no(struct err *why, const char *what)
{
	err_set(why, EINVAL, "%s", what);
	return false;
}

static bool read_crt(const char *pem, gnutls_x509_crt_t *crt)
{
	gnutls_datum_t d = {(unsigned char *)(uintptr_t)pem, (unsigned)strlen(pem)};
	return gnutls_x509_crt_init(crt) == 0 &&
	       gnutls_x509_crt_import(*crt, &d, GNUTLS_X509_FMT_PEM) == 0;
}

static bool read_key(const char *pem, gnutls_x509_privkey_t *key)
{
	gnutls_datum_t d = {(unsigned char *)(uintptr_t)pem, (unsigned)strlen(pem)};
	return gnutls_x509_privkey_init(key) == 0 &&
	       gnutls_x509_privkey_import2(*key, &d, GNUTLS_X509_FMT_PEM, NULL, 0) == 0;
}

static bool same_key(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key)
{
	unsigned char a[64], b[64];
	size_t na = sizeof(a), nb = sizeof(b);
	return gnutls_x509_crt_get_key_id(crt, 0, a, &na) == 0 &&
	       gnutls_x509_privkey_get_key_id(key, 0, b, &nb) == 0 && na == nb &&
	       memcmp(a, b, na) == 0;
}

static bool in_time(gnutls_x509_crt_t crt, int64_t now, int64_t renew_before)
{
	return gnutls_x509_crt_get_activation_time(crt) <= now &&
	       gnutls_x509_crt_get_expiration_time(crt) > now + renew_before;
}

bool cert_set_check(const struct cert_set *s, const char *host, int64_t now,
		    int64_t renew_before_sec, struct err *why)
{
	_cleanup_crt_ gnutls_x509_crt_t ca = NULL, crt = NULL;
	_cleanup_key_ gnutls_x509_privkey_t key = NULL;
	unsigned status = 0;
	if (!s->ca_cert || !s->cert || !s->key)
		return no(why, "a part is missing");
	if (!read_crt(s->ca_cert, &ca))
		return no(why, "the CA is unreadable");
	if (!read_crt(s->cert, &crt))
		return no(why, "the certificate is unreadable");
	if (!read_key(s->key, &key))
		return no(why, "the key is unreadable");
	if (!same_key(crt, key))
		return no(why, "the key does not belong to the certificate");
	if (!in_time(ca, now, renew_before_sec) || !in_time(crt, now, renew_before_sec))
		return no(why, "a certificate is expired or about to be");
	if (!gnutls_x509_crt_check_hostname2(crt, host, GNUTLS_VERIFY_DO_NOT_ALLOW_WILDCARDS))
		return no(why, "the certificate is for another name");
	if (gnutls_x509_crt_verify(crt, &ca, 1, GNUTLS_VERIFY_DISABLE_TIME_CHECKS, &status) < 0 ||
	    status)
		return no(why, "the certificate is not signed by the CA");
	return true;
}
