/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/options.h"

#include "ipc/base/buf.h"
#include "ipc/base/log.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KRUISED_VERSION
#define KRUISED_VERSION "0.0.0"
#endif

enum kind {
	STRING,
	BOOL,
	INT,	  /* int64, ≥ 0 */
	REAL,	  /* double, ≥ 0 */
	DURATION, /* uint64 µs */
	IGNORED,  /* Go's own: taken with a warning */
	IGNORED_BOOL,
	UNUSED_INT, /* of a controller that is not here yet: checked, then without effect */
};

struct flag {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *value; /* default, as one would write it; NULL: none */
	const char *help;
};

#define AT(field) offsetof(struct options, field)

static const struct flag flags[] = {
    {"kubeconfig", STRING, AT(kubeconfig), NULL,
     "kubeconfig file; else $KUBECONFIG, else in-cluster"},
    {"metrics-addr", STRING, AT(metrics_addr), ":8080", "address of /metrics"},
    {"health-probe-addr", STRING, AT(health_probe_addr), ":8000",
     "address of /healthz and /readyz"},
    {"enable-leader-election", BOOL, AT(leader_elect), "true",
     "run controllers only while holding the Lease"},
    {"leader-election-namespace", STRING, AT(leader_election_namespace), "kruise-system",
     "namespace of the Lease"},
    {"leader-election-id", STRING, AT(leader_election_id), "kruise-manager", "name of the Lease"},
    {"leader-election-resource-lock", STRING, AT(leader_election_resource_lock), "leases",
     "kind of lock; only leases"},
    {"leader-election-lease-duration", DURATION, AT(lease_duration_usec), "15s",
     "others wait this long before taking over"},
    {"leader-election-renew-deadline", DURATION, AT(renew_deadline_usec), "10s",
     "the leader gives up after this long without renewal"},
    {"leader-election-retry-period", DURATION, AT(retry_period_usec), "2s",
     "time between attempts"},
    {"namespace", STRING, AT(namespace_), NULL, "watch objects of this namespace only"},
    {"sync-period", DURATION, AT(sync_period_usec), "0s",
     "look at every object this often; 0: never"},
    /* OpenKruise has 30 here; the API server itself says when it is too much (429) */
    {"rest-config-qps", REAL, AT(rest_qps), "0", "requests per second of one worker; 0: no limit"},
    {"rest-config-burst", INT, AT(rest_burst), "50", "requests above that in a burst"},
    {"feature-gates", STRING, AT(feature_gates), "", "A=true,B=false, AllAlpha=…, AllBeta=…"},
    {"cloneset-workers", INT, AT(cloneset_workers), "3", "CloneSets synced in parallel"},
    {"expectation-timeout", DURATION, AT(expectation_timeout_usec), "5m",
     "an expectation unmet for this long is reported"},
    {"controller-cache-sync-timeout", DURATION, AT(cache_sync_timeout_usec), "2m",
     "limit for the first list of a resource"},
    {"webhook-initialize-timeout", DURATION, AT(webhook_init_timeout_usec), "60s",
     "limit for certificates and configurations"},
    {"rate-limiter-base-delay", DURATION, AT(rate_base_usec), "5ms",
     "first delay after an error of an object"},
    {"rate-limiter-max-delay", DURATION, AT(rate_max_usec), "1000s",
     "greatest delay after errors of an object"},
    {"rate-limiter-qps", REAL, AT(rate_qps), "10", "retries per second of a controller"},
    {"rate-limiter-bucket-size", INT, AT(rate_bucket), "100", "retries above that in a burst"},
    {"cloneset-scaling-exclude-preparing-delete", BOOL, AT(cloneset_exclude_preparing_delete),
     "false", "pods preparing to be deleted do not count as replicas"},
    {"allow-privileged", BOOL, AT(allow_privileged), "true",
     "templates may have privileged containers"},
    {"v", STRING, AT(verbosity), "0", "log verbosity: 0 to 5, or error, warn, info, debug, trace"},
    {"logging-format", STRING, AT(logging_format), "text", "text or json"},
    {"runtime-dir", STRING, AT(runtime_dir), NULL,
     "run directory (kruised's own flag); else $RUNTIME_DIRECTORY, else /run/kruised"},
    {"libexec-dir", STRING, AT(libexec_dir), NULL,
     "folder of the children's programs (kruised's own flag); else kruised's"},
    {"user", STRING, AT(user), "",
     "children run as this user (kruised's own flag); else as kruised"},
    {"sandbox", STRING, AT(sandbox), "auto",
     "auto: children get each restriction that the system grants; off: only user, capabilities and "
     "limits (kruised's own flag)"},
    {"sandbox-writable", STRING, AT(sandbox_writable), "",
     "further folders that children may write, separated by commas: caches of a credential plugin "
     "(kruised's own flag)"},
    {"core-dumps", BOOL, AT(core_dumps), "false",
     "let children dump core; the files hold keys and tokens (kruised's own flag)"},
    {"default-ttlseconds-for-always-nodeimage", UNUSED_INT, 0, "300", NULL},
    {"advancedcronjob-workers", UNUSED_INT, 0, NULL, NULL},
    {"broadcastjob-workers", UNUSED_INT, 0, NULL, NULL},
    {"container-launch-priority-workers", UNUSED_INT, 0, NULL, NULL},
    {"containerrecreaterequest-workers", UNUSED_INT, 0, NULL, NULL},
    {"crr-workers", UNUSED_INT, 0, NULL, NULL},
    {"daemonset-workers", UNUSED_INT, 0, NULL, NULL},
    {"ephemeraljob-workers", UNUSED_INT, 0, NULL, NULL},
    {"imagelistpulljob-workers", UNUSED_INT, 0, NULL, NULL},
    {"imagepulljob-workers", UNUSED_INT, 0, NULL, NULL},
    {"nodeimage-workers", UNUSED_INT, 0, NULL, NULL},
    {"nodepodprobe-workers", UNUSED_INT, 0, NULL, NULL},
    {"persistentpodstate-workers", UNUSED_INT, 0, NULL, NULL},
    {"podprobemarker-workers", UNUSED_INT, 0, NULL, NULL},
    {"podreadiness-workers", UNUSED_INT, 0, NULL, NULL},
    {"podunavailablebudget-workers", UNUSED_INT, 0, NULL, NULL},
    {"resourcedistribution-workers", UNUSED_INT, 0, NULL, NULL},
    {"sidecarset-workers", UNUSED_INT, 0, NULL, NULL},
    {"sidecarterminator-workers", UNUSED_INT, 0, NULL, NULL},
    {"statefulset-workers", UNUSED_INT, 0, NULL, NULL},
    {"uniteddeployment-workers", UNUSED_INT, 0, NULL, NULL},
    {"workloadspread-workers", UNUSED_INT, 0, NULL, NULL},
    {"enable-pprof", IGNORED_BOOL, 0, NULL, NULL},
    {"pprof-addr", IGNORED, 0, NULL, NULL},
    {"add-dir-header", IGNORED_BOOL, 0, NULL, NULL},
    {"alsologtostderr", IGNORED_BOOL, 0, NULL, NULL},
    {"log-backtrace-at", IGNORED, 0, NULL, NULL},
    {"log-dir", IGNORED, 0, NULL, NULL},
    {"log-file", IGNORED, 0, NULL, NULL},
    {"log-file-max-size", IGNORED, 0, NULL, NULL},
    {"log-flush-frequency", IGNORED, 0, NULL, NULL},
    {"log-json-info-buffer-size", IGNORED, 0, NULL, NULL},
    {"log-json-split-stream", IGNORED_BOOL, 0, NULL, NULL},
    {"log-text-info-buffer-size", IGNORED, 0, NULL, NULL},
    {"log-text-split-stream", IGNORED_BOOL, 0, NULL, NULL},
    {"logtostderr", IGNORED_BOOL, 0, "true", NULL},
    {"one-output", IGNORED_BOOL, 0, NULL, NULL},
    {"skip-headers", IGNORED_BOOL, 0, NULL, NULL},
    {"skip-log-headers", IGNORED_BOOL, 0, NULL, NULL},
    {"stderrthreshold", IGNORED, 0, NULL, NULL},
    {"vmodule", IGNORED, 0, NULL, NULL},
};
#define N_FLAGS (sizeof(flags) / sizeof(flags[0]))

/* klog writes some names with underscores. */
static bool same_name(const char *arg, size_t n, const char *name)
{
	if (strlen(name) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((arg[i] == '_' ? '-' : arg[i]) != name[i])
			return false;
	return true;
}

static const struct flag *find(const char *name, size_t n)
{
	for (size_t i = 0; i < N_FLAGS; i++)
		if (same_name(name, n, flags[i].name))
			return &flags[i];
	return NULL;
}

static int parse_bool(const char *s, bool *out)
{
	static const struct {
		const char *text;
		bool value;
	} table[] = {{"true", true}, {"false", false}, {"1", true},    {"0", false},
		     {"t", true},    {"f", false},     {"T", true},    {"F", false},
		     {"TRUE", true}, {"FALSE", false}, {"True", true}, {"False", false}};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(s, table[i].text) == 0) {
			*out = table[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_int(const char *s, int64_t *out)
{
	char *end;
	errno = 0;
	long long v = strtoll(s, &end, 10);
	if (end == s || *end || errno || v < 0 || v > INT32_MAX)
		return -EINVAL;
	*out = v;
	return 0;
}

static int parse_real(const char *s, double *out)
{
	if (*s == '\0' || s[strspn(s, "0123456789.")] != '\0')
		return -EINVAL;
	char *end;
	double v = strtod(s, &end);
	if (*end || !isfinite(v))
		return -EINVAL;
	*out = v;
	return 0;
}

static double unit_usec(const char *s, size_t n)
{
	static const struct {
		const char *name;
		double usec;
	} units[] = {{"ns", 1e-3}, {"us", 1},	{"µs", 1},    {"ms", 1e3},
		     {"s", 1e6},   {"m", 60e6}, {"h", 3600e6}};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == n && memcmp(s, units[i].name, n) == 0)
			return units[i].usec;
	return 0;
}

int options_duration(const char *s, uint64_t *usec)
{
	if (strcmp(s, "0") == 0) {
		*usec = 0;
		return 0;
	}
	double total = 0;
	if (*s == '\0')
		return -EINVAL;
	while (*s) {
		size_t digits = strspn(s, "0123456789.");
		size_t letters = strcspn(s + digits, "0123456789.");
		double unit = unit_usec(s + digits, letters);
		char number[32];
		double v;
		if (digits == 0 || digits >= sizeof(number) || unit == 0)
			return -EINVAL;
		memcpy(number, s, digits);
		number[digits] = '\0';
		if (parse_real(number, &v) < 0)
			return -EINVAL;
		total += v * unit;
		s += digits + letters;
	}
	/* a hundred years: what is longer is a mistake, and sums of it would not fit */
	if (total > 100.0 * 365 * 24 * 3600e6)
		return -EINVAL;
	*usec = (uint64_t)llround(total);
	return 0;
}

static int assign(struct options *o, const struct flag *f, const char *value)
{
	void *at = (char *)o + f->offset;
	bool ignored_bool;
	int64_t ignored_int;
	switch (f->kind) {
	case STRING:
		*(const char **)at = value;
		return 0;
	case BOOL:
		return parse_bool(value, at);
	case INT:
		return parse_int(value, at);
	case REAL:
		return parse_real(value, at);
	case DURATION:
		return options_duration(value, at);
	case IGNORED:
		return 0;
	case IGNORED_BOOL:
		return parse_bool(value, &ignored_bool);
	case UNUSED_INT:
		return parse_int(value, &ignored_int);
	}
	return -EINVAL;
}

static void defaults(struct options *o)
{
	*o = (struct options){0};
	for (size_t i = 0; i < N_FLAGS; i++)
		if (flags[i].value && assign(o, &flags[i], flags[i].value) < 0)
			fatal("default of --%s", flags[i].name);
	const char *dir = getenv("RUNTIME_DIRECTORY");
	o->runtime_dir = dir && *dir ? dir : "/run/kruised";
}

static void print_help(void)
{
	printf("Flags (--flag=value, or --flag value; booleans also --flag):\n");
	for (size_t i = 0; i < N_FLAGS; i++) {
		const struct flag *f = &flags[i];
		if (!f->help)
			continue;
		static const char *const kinds[] = {"TEXT", "true|false", "N", "N", "TIME"};
		char left[96];
		snprintf(left, sizeof(left), "--%s=%s", f->name, kinds[f->kind]);
		printf("  %-54s %s", left, f->help);
		if (f->value && *f->value)
			printf(" [%s]", f->value);
		printf("\n");
	}
	printf("  %-54s %s\n", "--help", "this text");
	printf("  %-54s %s\n", "--version", "the version");
	printf("Times are like 300ms, 15s, 1h30m.\nTaken, without effect here:");
	for (size_t i = 0; i < N_FLAGS; i++)
		if (!flags[i].help)
			printf(" --%s", flags[i].name);
	printf("\n");
}

/* Exits for --help and --version. */
static void answer_questions(const char *name)
{
	if (strcmp(name, "help") == 0 || strcmp(name, "h") == 0)
		print_help();
	else if (strcmp(name, "version") == 0)
		printf("kruised %s\n", KRUISED_VERSION);
	else
		return;
	fflush(stdout);
	exit(0);
}

static int one_of(const char *flag, const char *value, const char *a, const char *b, struct err *e)
{
	if (strcmp(value, a) == 0 || (b && strcmp(value, b) == 0))
		return 0;
	return err_set(e, EINVAL, "--%s=%s: must be %s%s%s", flag, value, a, b ? " or " : "",
		       b ? b : "");
}

static int check(const struct options *o, struct err *e)
{
	enum log_level level;
	if (log_level_parse(o->verbosity, &level) < 0)
		return err_set(e, EINVAL, "--v=%s: no log level", o->verbosity);
	int r = one_of("logging-format", o->logging_format, "text", "json", e);
	if (r == 0)
		r = one_of("leader-election-resource-lock", o->leader_election_resource_lock,
			   "leases", NULL, e);
	if (r == 0)
		r = one_of("sandbox", o->sandbox, "auto", "off", e);
	if (r < 0)
		return r;
	if (o->cloneset_workers < 1)
		return err_set(e, EINVAL, "--cloneset-workers: must be at least 1");
	if (o->retry_period_usec == 0 || o->renew_deadline_usec <= o->retry_period_usec * 12 / 10)
		return err_set(e, EINVAL,
			       "--leader-election-renew-deadline must be greater than 1.2 times "
			       "--leader-election-retry-period, and that above 0");
	if (o->lease_duration_usec <= o->renew_deadline_usec)
		return err_set(e, EINVAL,
			       "--leader-election-lease-duration must be greater than "
			       "--leader-election-renew-deadline");
	if (o->runtime_dir[0] != '/')
		return err_set(e, EINVAL, "--runtime-dir=%s: must be an absolute path",
			       o->runtime_dir);
	return 0;
}

/* Reads argv[*i], and the next one when it is the value. */
static int parse_one(struct options *o, int argc, char **argv, int *i, struct err *e)
{
	const char *arg = argv[*i];
	if (arg[0] != '-' || arg[1] == '\0' || strcmp(arg, "--") == 0)
		return err_set(e, EINVAL, "unexpected argument \"%s\"", arg);
	const char *name = arg + (arg[1] == '-' ? 2 : 1);
	answer_questions(name);
	size_t n = strcspn(name, "=");
	const struct flag *f = find(name, n);
	if (!f)
		return err_set(e, EINVAL, "unknown flag --%.*s", (int)n, name);

	bool is_bool = f->kind == BOOL || f->kind == IGNORED_BOOL;
	const char *value = "true";
	if (name[n] == '=')
		value = name + n + 1;
	else if (!is_bool && *i + 1 < argc)
		value = argv[++*i];
	else if (!is_bool)
		return err_set(e, EINVAL, "flag --%s needs a value", f->name);

	if (assign(o, f, value) < 0)
		return err_set(e, EINVAL, "--%s=%s: invalid value", f->name, value);
	if (f->kind == IGNORED || (f->kind == IGNORED_BOOL && strcmp(f->name, "logtostderr") != 0))
		log_warn("flag --%s has no effect here", f->name);
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct err *e)
{
	defaults(o);
	for (int i = 1; i < argc; i++) {
		int r = parse_one(o, argc, argv, &i, e);
		if (r < 0)
			return r;
	}
	/* An empty text is as good as none. */
	if (o->kubeconfig && !*o->kubeconfig)
		o->kubeconfig = NULL;
	if (o->namespace_ && !*o->namespace_)
		o->namespace_ = NULL;
	return check(o, e);
}
