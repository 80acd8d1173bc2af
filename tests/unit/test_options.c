/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/options.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_ARGS 8

/* Splits at blanks. */
static int parse(struct options *o, const char *line, struct err *e)
{
	static char text[512];
	static char *argv[MAX_ARGS + 2];
	int argc = 1;
	argv[0] = text;
	snprintf(text, sizeof(text), "prog %s", line);
	for (char *p = strchr(text, ' '); p && argc <= MAX_ARGS;) {
		*p++ = '\0';
		if (*p)
			argv[argc++] = p;
		p = strchr(p, ' ');
	}
	argv[argc] = NULL;
	return options_parse(o, argc, argv, e);
}

static void test_defaults(void **state)
{
	(void)state;
	unsetenv("RUNTIME_DIRECTORY");
	struct options o;
	assert_int_equal(parse(&o, "", NULL), 0);
	assert_null(o.kubeconfig);
	assert_null(o.namespace_);
	assert_null(o.libexec_dir);
	assert_string_equal(o.metrics_addr, ":8080");
	assert_string_equal(o.health_probe_addr, ":8000");
	assert_string_equal(o.sandbox, "auto");
	assert_false(o.core_dumps);
	assert_true(o.leader_elect);
	assert_string_equal(o.leader_election_namespace, "kruise-system");
	assert_string_equal(o.leader_election_id, "kruise-manager");
	assert_int_equal(o.lease_duration_usec, 15000000);
	assert_int_equal(o.renew_deadline_usec, 10000000);
	assert_int_equal(o.retry_period_usec, 2000000);
	assert_int_equal(o.sync_period_usec, 0);
	assert_true(o.rest_qps == 0 && o.rest_burst == 50);
	assert_int_equal(o.cloneset_workers, 3);
	assert_int_equal(o.expectation_timeout_usec, 300000000);
	assert_int_equal(o.cache_sync_timeout_usec, 120000000);
	assert_int_equal(o.webhook_init_timeout_usec, 60000000);
	assert_int_equal(o.rate_base_usec, 5000);
	assert_int_equal(o.rate_max_usec, 1000000000);
	assert_true(o.rate_qps == 10 && o.rate_bucket == 100);
	assert_false(o.cloneset_exclude_preparing_delete);
	assert_true(o.allow_privileged);
	assert_string_equal(o.runtime_dir, "/run/kruised");
	assert_string_equal(o.logging_format, "text");
	assert_string_equal(o.feature_gates, "");
	assert_string_equal(o.user, "");
	setenv("RUNTIME_DIRECTORY", "/run/x", 1);
	assert_int_equal(parse(&o, "", NULL), 0);
	assert_string_equal(o.runtime_dir, "/run/x");
	unsetenv("RUNTIME_DIRECTORY");
}

static void test_forms(void **state)
{
	(void)state;
	struct options o;
	assert_int_equal(
	    parse(&o, "--kubeconfig=/a=b --namespace n -v=4 --cloneset-workers 7", NULL), 0);
	assert_string_equal(o.kubeconfig, "/a=b");
	assert_string_equal(o.namespace_, "n");
	assert_string_equal(o.verbosity, "4");
	assert_int_equal(o.cloneset_workers, 7);
	assert_int_equal(
	    parse(&o,
		  "--cloneset-scaling-exclude-preparing-delete --allow-privileged=false "
		  "--enable-leader-election=F --namespace= --kubeconfig=",
		  NULL),
	    0);
	assert_true(o.cloneset_exclude_preparing_delete);
	assert_false(o.allow_privileged);
	assert_false(o.leader_elect);
	assert_null(o.namespace_);
	assert_null(o.kubeconfig);
	assert_int_equal(
	    parse(&o, "--sync-period=1h30m --rest-config-qps=0.5 --runtime-dir=/tmp/x", NULL), 0);
	assert_int_equal(o.sync_period_usec, 5400000000ull);
	assert_true(o.rest_qps == 0.5);
	assert_string_equal(o.runtime_dir, "/tmp/x");
	/* the last one counts */
	assert_int_equal(parse(&o, "--namespace=a --namespace=b", NULL), 0);
	assert_string_equal(o.namespace_, "b");
}

/* covers: manager:S13 */
static void test_accepted_without_effect(void **state)
{
	(void)state;
	log_set_level(LOG_LVL_ERROR);
	static const char *const lines[] = {
	    "--v=5 --logtostderr=true --enable-pprof",
	    "--enable-pprof=true --pprof-addr=:8090",
	    "--pprof-addr :8090 --stderrthreshold=2 --log_dir=/x --vmodule a=b",
	    "--statefulset-workers=5 --daemonset-workers 3 --sidecarset-workers=1",
	    "--default-ttlseconds-for-always-nodeimage=300",
	    "--leader-election-resource-lock=leases",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct options o;
		struct err e = {0};
		if (parse(&o, lines[i], &e) < 0)
			fail_msg("%s: %s", lines[i], e.msg);
	}
	log_set_level(LOG_LVL_INFO);
}

/* Whatever an installation of OpenKruise may have in its arguments, in either form. */
static void test_every_flag(void **state)
{
	(void)state;
	static const char *const lines[] = {
	    "--kubeconfig=/etc/kubeconfig --metrics-addr=:8080 --health-probe-addr=:8000",
	    "--enable-leader-election --leader-election-namespace=kruise-system",
	    "--leader-election-id=kruise-manager --leader-election-resource-lock=leases",
	    "--leader-election-lease-duration=15s --leader-election-renew-deadline=10s",
	    "--leader-election-retry-period=2s --namespace=ns --sync-period=10h",
	    "--rest-config-qps=30 --rest-config-burst=50 --feature-gates=AllAlpha=true",
	    "--expectation-timeout=5m --controller-cache-sync-timeout=2m",
	    "--webhook-initialize-timeout=60s --rate-limiter-base-delay=5ms",
	    "--rate-limiter-max-delay=1000s --rate-limiter-qps=10 --rate-limiter-bucket-size=100",
	    "--cloneset-scaling-exclude-preparing-delete=true",
	    "--default-ttlseconds-for-always-nodeimage=300 --allow-privileged=true",
	    "--v=4 --logtostderr=true --logging-format=json",
	    "--v=5 --logtostderr=true --enable-pprof",
	    "--enable-pprof=true --pprof-addr=:8090",
	    "--cloneset-workers=20 --statefulset-workers=3 --daemonset-workers=3",
	    "--advancedcronjob-workers=3 --broadcastjob-workers=3 --imagepulljob-workers=3",
	    "--imagelistpulljob-workers=3 --nodeimage-workers=3 --nodepodprobe-workers=3",
	    "--persistentpodstate-workers=3 --podprobemarker-workers=3",
	    "--podunavailablebudget-workers=3 --resourcedistribution-workers=3",
	    "--sidecarset-workers=3 --sidecarterminator-workers=3 --uniteddeployment-workers=3",
	    "--workloadspread-workers=3 --ephemeraljob-workers=3 --crr-workers=3",
	    "--containerrecreaterequest-workers=3",
	    /* klog's, in both spellings */
	    "--add_dir_header --alsologtostderr=false --log_backtrace_at=:0 --log_dir=/x",
	    "--log_file=/x --log_file_max_size=1800 --log-flush-frequency=5s --one_output=true",
	    "--skip_headers=true --skip_log_headers --stderrthreshold=2 --vmodule=a=2",
	    "--add-dir-header --log-file-max-size=1800 --skip-log-headers=false",
	};
	log_set_level(LOG_LVL_ERROR);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct options o;
		struct err e = {0};
		if (parse(&o, lines[i], &e) < 0)
			fail_msg("%s: %s", lines[i], e.msg);
	}
	log_set_level(LOG_LVL_INFO);
}

static void test_errors(void **state)
{
	(void)state;
	static const struct {
		const char *line, *names;
	} rows[] = {
	    {"--nonsense", "--nonsense"},
	    {"--nonsense=3", "--nonsense"},
	    {"stray", "stray"},
	    {"-", "-"},
	    {"--", "--"},
	    {"--namespace", "--namespace"},
	    {"--cloneset-workers=0", "--cloneset-workers"},
	    {"--cloneset-workers=-1", "--cloneset-workers"},
	    {"--cloneset-workers=x", "--cloneset-workers"},
	    {"--cloneset-workers=99999999999", "--cloneset-workers"},
	    {"--statefulset-workers=many", "--statefulset-workers"},
	    {"--allow-privileged=yes", "--allow-privileged"},
	    {"--allow-privileged false", "false"},
	    {"--sync-period=5", "--sync-period"},
	    {"--rest-config-qps=nan", "--rest-config-qps"},
	    {"--v=loud", "--v"},
	    {"--logging-format=xml", "--logging-format"},
	    {"--leader-election-resource-lock=configmaps", "--leader-election-resource-lock"},
	    {"--leader-election-renew-deadline=15s", "--leader-election-lease-duration"},
	    {"--leader-election-retry-period=9s", "--leader-election-renew-deadline"},
	    {"--runtime-dir=relative", "--runtime-dir"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options o;
		struct err e = {0};
		if (parse(&o, rows[i].line, &e) != -EINVAL)
			fail_msg("%s was accepted", rows[i].line);
		if (!strstr(e.msg, rows[i].names))
			fail_msg("%s: the error does not name %s: %s", rows[i].line, rows[i].names,
				 e.msg);
	}
}

static void test_durations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t usec; /* -1: refused */
	} rows[] = {
	    {"0", 0},
	    {"0s", 0},
	    {"5ms", 5000},
	    {"1.5s", 1500000},
	    {"10us", 10},
	    {"10µs", 10},
	    {"1500ns", 2},
	    {"2h45m", 9900000000},
	    {"1000s", 1000000000},
	    {"", -1},
	    {"5", -1},
	    {"s", -1},
	    {"-5s", -1},
	    {"5 s", -1},
	    {"1d", -1},
	    {"1..5s", -1},
	    {"99999999h", -1},
	    {"1e3s", -1},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t usec = 0;
		int r = options_duration(rows[i].text, &usec);
		if ((r < 0) != (rows[i].usec < 0) || (r == 0 && usec != (uint64_t)rows[i].usec))
			fail_msg("%s: %d %llu", rows[i].text, r, (unsigned long long)usec);
	}
}

/* --help prints the flags and exits 0. */
static void test_help(void **state)
{
	(void)state;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		struct options o;
		parse(&o, "--help", NULL);
		_exit(9);
	}
	close(fds[1]);
	char text[16384];
	size_t n = 0;
	ssize_t r;
	while ((r = read(fds[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)r;
	text[n] = '\0';
	close(fds[0]);
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_non_null(strstr(text, "--leader-election-lease-duration=TIME"));
	assert_non_null(strstr(text, "[15s]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_accepted_without_effect),
	    cmocka_unit_test(test_every_flag),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_durations),
	    cmocka_unit_test(test_help),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
