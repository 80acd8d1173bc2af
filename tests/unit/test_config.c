/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ipc/base/buf.h"
#include "kube/base64.h"
#include "kube/config.h"
#include "kube/exec_plugin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* "-----BEGIN X-----\n" */
#define PEM64 "LS0tLS1CRUdJTiBYLS0tLS0K"

static const char full[] = "apiVersion: v1\n"
			   "kind: Config\n"
			   "current-context: main\n"
			   "contexts:\n"
			   "- name: main\n"
			   "  context: {cluster: c, user: u, namespace: ns}\n"
			   "- {name: anonymous, context: {cluster: c}}\n"
			   "- {name: plugin, context: {cluster: c, user: x}}\n"
			   "clusters:\n"
			   "- name: c\n"
			   "  cluster:\n"
			   "    server: https://h:6443///\n"
			   "    certificate-authority-data: " PEM64 "\n"
			   "    tls-server-name: other\n"
			   "    proxy-url: http://p:1\n"
			   "users:\n"
			   "- name: u\n"
			   "  user:\n"
			   "    client-certificate: pki/c.crt\n"
			   "    client-key: /abs/c.key\n"
			   "    token: 12345\n"
			   "    username: admin\n"
			   "    password: 'p:w'\n"
			   "- name: x\n"
			   "  user:\n"
			   "    exec:\n"
			   "      apiVersion: client.authentication.k8s.io/v1beta1\n"
			   "      command: bin/plugin\n"
			   "      args: [a, \"1\"]\n"
			   "      env: [{name: A, value: b}]\n";

static void reads_all_fields(void **state)
{
	(void)state;
	struct err e = {0};
	_cleanup_k8s_config_ struct k8s_config *c = NULL;
	assert_int_equal(k8s_config_parse(&c, full, strlen(full), "f", "/d", NULL, &e), 0);
	assert_string_equal(c->server, "https://h:6443");
	assert_string_equal(c->ca_data, "-----BEGIN X-----\n");
	assert_string_equal(c->tls_server_name, "other");
	assert_string_equal(c->proxy_url, "http://p:1");
	assert_string_equal(c->cert_file, "/d/pki/c.crt");
	assert_string_equal(c->key_file, "/abs/c.key");
	assert_string_equal(c->token, "12345");
	assert_string_equal(c->username, "admin");
	assert_string_equal(c->password, "p:w");
	assert_string_equal(c->namespace, "ns");
	assert_false(c->insecure_skip_tls_verify);
	assert_null(c->exec);

	_cleanup_k8s_config_ struct k8s_config *anonymous = NULL;
	assert_int_equal(
	    k8s_config_parse(&anonymous, full, strlen(full), "f", NULL, "anonymous", &e), 0);
	assert_null(anonymous->token);

	_cleanup_k8s_config_ struct k8s_config *plugin = NULL;
	assert_int_equal(k8s_config_parse(&plugin, full, strlen(full), "f", "/d", "plugin", &e), 0);
	_cleanup_k8s_config_ struct k8s_config *copy = k8s_config_copy(plugin);
	assert_string_equal(copy->exec->command, "/d/bin/plugin");
	assert_string_equal(copy->exec->args[1], "1");
	assert_null(copy->exec->args[2]);
	assert_string_equal(copy->exec->env[0], "A=b");
}

#define BASE "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
#define CLUSTER "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"

static void names_what_is_wrong(void **state)
{
	(void)state;
	static const struct {
		const char *yaml, *error;
	} rows[] = {
	    {"a: [", "f: line "},
	    {"", "f: current-context is not set"},
	    {"[]", "f: current-context is not set"},
	    {"current-context: m", "f: there is no context \"m\""},
	    {BASE, "f: there is no cluster \"c\""},
	    {BASE CLUSTER, "f: there is no user \"u\""},
	    {BASE "clusters: [{name: c, cluster: {}}]", "f: cluster \"c\": server is missing"},
	    {BASE "clusters: [{name: c, cluster: {server: [1]}}]",
	     "f: cluster \"c\": server is no string"},
	    {BASE "clusters: [{name: c, cluster: {server: ftp://x}}]",
	     "f: cluster \"c\": server is no http"},
	    {BASE "clusters: [{name: c, cluster: 7}]", "f: cluster \"c\": cluster is no map"},
	    {BASE "clusters: [{name: c, cluster: {server: 'https://h', "
		  "certificate-authority-data: '*'}}]",
	     "f: cluster \"c\": certificate-authority-data is no valid base64"},
	    {BASE "clusters: [{name: c, cluster: {server: 'https://h', "
		  "certificate-authority-data: 'QUJD'}}]",
	     "f: cluster \"c\": certificate-authority-data holds no PEM block"},
	    {BASE CLUSTER "users: [{name: u, user: {client-certificate: x}}]",
	     "f: user \"u\": client-key is missing"},
	    {BASE CLUSTER "users: [{name: u, user: {token: \"a\\nb\"}}]",
	     "f: user \"u\": token holds a control character"},
	    {BASE CLUSTER "users: [{name: u, user: {auth-provider: {name: gcp}}}]",
	     "f: user \"u\": auth-provider is not supported"},
	    {BASE CLUSTER "users: [{name: u, user: {exec: 7}}]", "f: user \"u\": exec is no map"},
	    {BASE CLUSTER "users: [{name: u, user: {exec: {command: x}}}]",
	     "f: user \"u\": exec.apiVersion is not"},
	    {BASE CLUSTER "users: [{name: u, user: {exec: {apiVersion: "
			  "client.authentication.k8s.io/v1}}}]",
	     "f: user \"u\": exec.command is missing"},
	    {BASE CLUSTER "users: [{name: u, user: {exec: {apiVersion: "
			  "client.authentication.k8s.io/v1, command: x, args: [[]]}}}]",
	     "f: user \"u\": exec.args holds"},
	    {"a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
	     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
	     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
	     "f: nested too deeply"},
	    {"{[a]: b}", "f: line 1: a key is no string"},
	};
	for (size_t i = 0; i < N(rows); i++) {
		struct err e = {0};
		struct k8s_config *c = NULL;
		assert_int_equal(
		    k8s_config_parse(&c, rows[i].yaml, strlen(rows[i].yaml), "f", NULL, NULL, &e),
		    -EINVAL);
		assert_null(c);
		if (strncmp(e.msg, rows[i].error, strlen(rows[i].error)) != 0)
			fail_msg("row %zu: %s", i, e.msg);
	}
}

/* ---- files ---- */

static char dir[] = "/tmp/test-config-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	_cleanup_free_ char *cmd = xasprintf("rm -rf %s", dir);
	return system(cmd);
}

static char *put(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void clear_env(void)
{
	unsetenv("KUBECONFIG");
	unsetenv("KUBERNETES_SERVICE_HOST");
	unsetenv("KUBERNETES_SERVICE_PORT");
	setenv("HOME", dir, 1);
}

static void merges_files(void **state)
{
	(void)state;
	struct err e = {0};
	clear_env();
	_cleanup_free_ char *one =
	    put("one", "contexts: [{name: m, context: {cluster: c, user: u}}]\n"
		       "users: [{name: u, user: {token: first}}]\n");
	_cleanup_free_ char *two = put("two", "current-context: m\n"
					      "clusters: [{name: c, cluster: {server: 'https://h', "
					      "certificate-authority: ca.pem}}]\n"
					      "users: [{name: u, user: {token: second}}]\n");
	_cleanup_free_ char *ca = put("ca.pem", "-----BEGIN CERTIFICATE-----\n");
	_cleanup_free_ char *env = xasprintf("%s:/does/not/exist::%s", one, two);
	setenv("KUBECONFIG", env, 1);
	_cleanup_k8s_config_ struct k8s_config *c = NULL;
	assert_int_equal(k8s_config_load(&c, NULL, NULL, &e), 0);
	assert_string_equal(c->token, "first");
	assert_string_equal(c->server, "https://h");
	assert_string_equal(c->ca_data, "-----BEGIN CERTIFICATE-----\n");

	free(put("ca.pem", "nothing"));
	struct k8s_config *bad = NULL;
	assert_int_equal(k8s_config_load(&bad, NULL, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "certificate-authority"));
	assert_non_null(strstr(e.msg, "ca.pem: no PEM block"));
	assert_null(bad);
	unlink(ca);
	assert_int_equal(k8s_config_load(&bad, NULL, NULL, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "ca.pem: No such file"));
	assert_int_equal(k8s_config_load(&bad, "/does/not/exist", NULL, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/does/not/exist"));
	setenv("KUBECONFIG", "/does/not/exist", 1);
	assert_int_equal(k8s_config_load(&bad, NULL, NULL, &e), -ENOENT);
	assert_int_equal(k8s_config_load(&bad, dir, NULL, &e), -EISDIR);
}

static void finds_the_home_file(void **state)
{
	(void)state;
	struct err e = {0};
	struct k8s_config *none = NULL;
	clear_env();
	assert_int_equal(k8s_config_load(&none, NULL, NULL, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "no way to the API server"));
	_cleanup_free_ char *kube = xasprintf("%s/.kube", dir);
	assert_int_equal(mkdir(kube, 0700), 0);
	_cleanup_free_ char *path =
	    put(".kube/config", BASE CLUSTER "users: [{name: u, user: {token: t}}]");
	_cleanup_k8s_config_ struct k8s_config *c = NULL;
	assert_int_equal(k8s_config_load(&c, NULL, NULL, &e), 0);
	assert_string_equal(c->token, "t");
	assert_string_equal(c->source, path);
}

static void reads_the_service_account(void **state)
{
	(void)state;
	struct err e = {0};
	struct k8s_config *none = NULL;
	clear_env();
	assert_int_equal(k8s_config_load_in_cluster(&none, dir, &e), -ENOENT);
	setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
	setenv("KUBERNETES_SERVICE_PORT", "443", 1);
	assert_int_equal(k8s_config_load_in_cluster(&none, dir, &e), -ENOENT);
	_cleanup_free_ char *token = put("token", " \n");
	_cleanup_free_ char *ca = put("ca.crt", "-----BEGIN CERTIFICATE-----\n");
	assert_int_equal(k8s_config_load_in_cluster(&none, dir, &e), -EINVAL);
	free(put("token", "a\nb"));
	assert_int_equal(k8s_config_load_in_cluster(&none, dir, &e), -EINVAL);
	free(put("token", "secret\n"));
	free(put("namespace", "kruise-system"));
	_cleanup_k8s_config_ struct k8s_config *c = NULL;
	assert_int_equal(k8s_config_load_in_cluster(&c, dir, &e), 0);
	assert_string_equal(c->server, "https://[fd00::1]:443");
	assert_string_equal(c->token_file, token);
	assert_string_equal(c->namespace, "kruise-system");
	assert_string_equal(c->ca_file, ca);
	clear_env();
}

static void base64(void **state)
{
	(void)state;
	static const char *const good[][2] = {
	    {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
	};
	for (size_t i = 0; i < N(good); i++) {
		_cleanup_buf_ struct buf b = {0}, back = {0};
		base64_encode(&b, good[i][0], strlen(good[i][0]));
		assert_string_equal(buf_str(&b), good[i][1]);
		assert_true(base64_decode(&back, b.p, b.len));
		assert_string_equal(buf_str(&back), good[i][0]);
	}
	static const char *const bad[] = {
	    "Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Z*==", "=Zg=", "Zm=v"};
	for (size_t i = 0; i < N(bad); i++) {
		_cleanup_buf_ struct buf b = {0};
		buf_puts(&b, "x");
		assert_false(base64_decode(&b, bad[i], strlen(bad[i])));
		assert_string_equal(b.p, "x");
	}
	_cleanup_buf_ struct buf b = {0};
	assert_true(base64_decode(&b, "Zm\n9v\r\nZg==\n", 12));
	assert_string_equal(b.p, "foof");
}

#define CRED                                              \
	"{\"apiVersion\":\"client.authentication.k8s.io/" \
	"v1\",\"kind\":\"ExecCredential\",\"status\":"

static void exec_credentials(void **state)
{
	(void)state;
	struct exec_credential c;
	struct err e = {0};
	static const char good[] =
	    CRED "{\"token\":\"t\",\"expirationTimestamp\":\"1970-01-01T00:00:09Z\"}}";
	assert_int_equal(exec_credential_parse(good, strlen(good), &c, &e), 0);
	assert_string_equal(c.token, "t");
	assert_int_equal(c.expires_usec, 9000000);
	exec_credential_clear(&c);
	static const char *const bad[] = {
	    "",
	    "{}",
	    "[]",
	    CRED "{}}",
	    CRED "{\"token\":7}}",
	    CRED "{\"clientKeyData\":\"k\"}}",
	    CRED "{\"token\":\"t\",\"expirationTimestamp\":\"soon\"}}",
	    "{\"apiVersion\":\"v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t\"}}",
	};
	for (size_t i = 0; i < N(bad); i++)
		assert_int_equal(exec_credential_parse(bad[i], strlen(bad[i]), &c, NULL), -EINVAL);
}

static void runs_plugins(void **state)
{
	(void)state;
	static const struct {
		const char *script, *error; /* NULL: works */
	} rows[] = {
	    {"test \"$A\" = b && grep -q ExecCredential <<E && echo '" CRED
	     "{\"token\":\"t\"}}'\n$KUBERNETES_EXEC_INFO\nE\n",
	     NULL},
	    {"exit 3", "failed with status 3"},
	    {"kill -9 $$", "failed with status"},
	    {"echo no", "its output is no JSON"},
	    {"yes | head -c 2000000", "was killed: File too large"},
	};
	for (size_t i = 0; i < N(rows); i++) {
		struct err e = {0};
		struct exec_credential c = {0};
		char command[] = "/bin/sh", version[] = "client.authentication.k8s.io/v1";
		char flag[] = "-c", env[] = "A=b", *script = xstrdup(rows[i].script);
		char *args[] = {flag, script, NULL}, *envs[] = {env, NULL};
		struct k8s_exec x = {version, command, args, envs};
		setenv("A", "another", 1);
		int r = exec_plugin_run(&x, &c, &e);
		free(script);
		if (!rows[i].error) {
			assert_int_equal(r, 0);
			assert_string_equal(c.token, "t");
		} else {
			assert_true(r < 0);
			assert_non_null(strstr(e.msg, rows[i].error));
		}
		exec_credential_clear(&c);
	}
	struct err e = {0};
	struct exec_credential c;
	char none[] = "/does/not/exist";
	struct k8s_exec x = {none, none, NULL, NULL};
	assert_int_equal(exec_plugin_run(&x, &c, &e), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_all_fields),
	    cmocka_unit_test(names_what_is_wrong),
	    cmocka_unit_test(merges_files),
	    cmocka_unit_test(finds_the_home_file),
	    cmocka_unit_test(reads_the_service_account),
	    cmocka_unit_test(base64),
	    cmocka_unit_test(exec_credentials),
	    cmocka_unit_test(runs_plugins),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
