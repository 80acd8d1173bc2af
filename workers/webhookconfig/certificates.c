/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/webhookconfig/webhookconfig.h"

#include "ipc/base/log.h"
#include "kube/base64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEM_MAX (64u << 10)

/* Keys of the Secret, names of the files, and where they go. */
static const struct {
	const char *name;
	size_t offset;
} parts[] = {
    {"ca-key.pem", offsetof(struct cert_set, ca_key)},
    {"ca-cert.pem", offsetof(struct cert_set, ca_cert)},
    {"key.pem", offsetof(struct cert_set, key)},
    {"cert.pem", offsetof(struct cert_set, cert)},
    /* copies, for those who expect the names of kubernetes.io/tls */
    {"tls.key", offsetof(struct cert_set, key)},
    {"tls.crt", offsetof(struct cert_set, cert)},
};
#define N_PARTS 4
#define N_COPIES 6

static char **part(struct cert_set *s, size_t i)
{
	return (char **)((char *)s + parts[i].offset);
}

static int64_t now_sec(void)
{
	return (int64_t)(wall_usec() / 1000000);
}

/* New ones must pass the check that the old ones failed, or they would be made again and again. */
static int make(struct webhookconfig *wc, struct cert_set *set, struct err *e)
{
	cert_set_free(set);
	int r = cert_set_make(set, wc->host, now_sec(), e);
	if (r < 0 || cert_set_check(set, wc->host, now_sec(), wc->renew_before, e))
		return r;
	cert_set_free(set);
	return err_wrap(e, "new certificates are not good enough (CERTS_RENEW_BEFORE?)");
}

/* ---- files ---- */

/* The whole file, or NULL. */
static char *read_file(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "re");
	if (!f)
		return NULL;
	char *text = xmalloc(PEM_MAX + 1);
	size_t n = fread(text, 1, PEM_MAX, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

/* A new file in the place of the old one; nobody sees half of it. */
static int write_file(const char *dir, const char *name, const char *text, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_free_ char *fresh = xasprintf("%s.new", path);
	unlink(fresh);
	int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", fresh, strerror(errno));
	size_t n = strlen(text);
	bool ok = write(fd, text, n) == (ssize_t)n;
	ok = close(fd) == 0 && ok;
	if (ok && rename(fresh, path) == 0)
		return 0;
	int saved = errno;
	unlink(fresh);
	return err_set(e, saved ? saved : EIO, "%s: cannot write", path);
}

/* Makes the folder when it is missing. Whoever owns it could have put certificates there whose CA
 * key is theirs, so another user's is refused; the default is below /tmp, where anybody may make
 * one. */
static int own_dir(const char *dir, struct err *e)
{
	struct stat st;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "%s: %s", dir, strerror(errno));
	if (stat(dir, &st) < 0)
		return err_set(e, errno, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "%s: not a folder", dir);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(e, EPERM, "%s: belongs to another user (%u)", dir, st.st_uid);
	return 0;
}

static int write_files(const char *dir, struct cert_set *s, struct err *e)
{
	for (size_t i = 0; i < N_COPIES; i++) {
		int r = write_file(dir, parts[i].name, *part(s, i), e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What webhookd serves: certificate and key in one file, so that they change together; it is
 * written last. */
static int publish(struct webhookconfig *wc, struct err *e)
{
	_cleanup_free_ char *dir = xasprintf("%s/webhook", child_rundir());
	_cleanup_free_ char *pair = xasprintf("%s%s", wc->certs.cert, wc->certs.key);
	_cleanup_free_ char *have_pair = read_file(dir, "serving.pem");
	_cleanup_free_ char *have_ca = read_file(dir, "ca-cert.pem");
	if (have_pair && have_ca && strcmp(have_pair, pair) == 0 &&
	    strcmp(have_ca, wc->certs.ca_cert) == 0)
		return 0;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "%s: %s", dir, strerror(errno));
	int r = write_file(dir, "ca-cert.pem", wc->certs.ca_cert, e);
	return r < 0 ? r : write_file(dir, "serving.pem", pair, e);
}

/* Takes `set` over. */
static void have(struct webhookconfig *wc, struct cert_set *set)
{
	struct err e = {0};
	_cleanup_buf_ struct buf b64 = {0};
	cert_set_free(&wc->certs);
	wc->certs = *set;
	*set = (struct cert_set){0};
	base64_encode(&b64, wc->certs.ca_cert, strlen(wc->certs.ca_cert));
	free(wc->ca_base64);
	wc->ca_base64 = xstrdup(buf_str(&b64));
	if (publish(wc, &e) < 0)
		webhookconfig_failed(wc, "%s", e.msg);
	else
		webhookconfig_have_certs(wc);
}

static void from_files(struct webhookconfig *wc)
{
	struct cert_set set = {0};
	struct err e = {0}, why = {0};
	if (own_dir(wc->cert_dir, &e) < 0) {
		webhookconfig_failed(wc, "WEBHOOK_CERT_DIR: %s", e.msg);
		return;
	}
	for (size_t i = 0; i < N_PARTS; i++)
		*part(&set, i) = read_file(wc->cert_dir, parts[i].name);
	if (cert_set_check(&set, wc->host, now_sec(), wc->renew_before, &why)) {
		have(wc, &set);
		return;
	}
	log_info("certificates in %s: %s; making new ones for %s", wc->cert_dir, why.msg, wc->host);
	if (make(wc, &set, &e) < 0 || write_files(wc->cert_dir, &set, &e) < 0) {
		cert_set_free(&set);
		webhookconfig_failed(wc, "certificates: %s", e.msg);
		return;
	}
	have(wc, &set);
}

/* ---- Secret ---- */

static char *decode(const val *data, const char *key)
{
	_cleanup_buf_ struct buf b = {0};
	struct str s = val_str(val_get(data, key));
	if (!s.p || s.n > 2 * PEM_MAX || !base64_decode(&b, s.p, s.n) || b.len == 0 ||
	    memchr(b.p, '\0', b.len))
		return NULL;
	return xstrdup(buf_str(&b));
}

/* Another replica was quicker: its certificates are as good as ours, and are the ones that count.
 */
static void on_secret_written(const struct k8s_response *r, void *userdata)
{
	struct webhookconfig *wc = userdata;
	if (k8s_is_conflict(r) || k8s_is_already_exists(r))
		webhookconfig_certs(wc);
	else if (!k8s_ok(r))
		webhookconfig_failed(wc, "cannot write Secret %s/%s: %s", wc->namespace,
				     wc->secret_name, r->error);
	else
		webhookconfig_certs(wc); /* read back what was kept: one way for everybody */
}

static void write_secret(struct webhookconfig *wc, const val *existing, struct cert_set *set)
{
	_cleanup_arena_ arena *a = arena_new();
	val secret = existing ? val_copy(a, existing) : val_map();
	val_set(a, &secret, "apiVersion", val_of_str("v1"));
	val_set(a, &secret, "kind", val_of_str("Secret"));
	val *meta = val_ensure_map(a, &secret, "metadata");
	val_set(a, meta, "namespace", val_of_str(wc->namespace));
	val_set(a, meta, "name", val_of_str(wc->secret_name));
	val *data = val_ensure_map(a, &secret, "data");
	for (size_t i = 0; i < N_COPIES; i++) {
		_cleanup_buf_ struct buf b = {0};
		const char *text = *part(set, i);
		base64_encode(&b, text, strlen(text));
		val_set(a, data, parts[i].name, val_of_strdup(a, (struct str){b.p, b.len}));
	}
	if (existing)
		k8s_update(wc->w.client, &K8S_SECRETS, wc->namespace, wc->secret_name, NULL,
			   &secret, on_secret_written, wc);
	else
		k8s_create(wc->w.client, &K8S_SECRETS, wc->namespace, &secret, on_secret_written,
			   wc);
}

static void on_secret(const struct k8s_response *r, void *userdata)
{
	struct webhookconfig *wc = userdata;
	struct cert_set set = {0};
	struct err e = {0}, why = {0};
	if (!k8s_ok(r) && !k8s_is_not_found(r)) {
		webhookconfig_failed(wc, "cannot read Secret %s/%s: %s", wc->namespace,
				     wc->secret_name, r->error);
		return;
	}
	const val *secret = k8s_ok(r) ? r->object : NULL;
	for (size_t i = 0; i < N_PARTS; i++)
		*part(&set, i) = decode(val_get(secret, "data"), parts[i].name);
	if (cert_set_check(&set, wc->host, now_sec(), wc->renew_before, &why)) {
		have(wc, &set);
		return;
	}
	log_info("Secret %s/%s: %s; making new certificates for %s", wc->namespace, wc->secret_name,
		 secret ? why.msg : "not there", wc->host);
	if (make(wc, &set, &e) < 0)
		webhookconfig_failed(wc, "certificates: %s", e.msg);
	else
		write_secret(wc, secret, &set);
	cert_set_free(&set);
}

void webhookconfig_certs(struct webhookconfig *wc)
{
	if (wc->files)
		from_files(wc);
	else
		k8s_get(wc->w.client, &K8S_SECRETS, wc->namespace, wc->secret_name, on_secret, wc);
}
