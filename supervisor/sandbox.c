/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/sandbox.h"

#include "ipc/base/log.h"
#include "supervisor/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIANTS 3

static const struct {
	const char *name; /* of what is not in force */
	const char *variants[VARIANTS];
	const char *absent; /* 0: why not, when no errno says it */
} layers[N_LAYERS] = {
    [LAYER_USER] = {"another user", {"user", "not root"}, "--user is not set"},
    [LAYER_CAPS] = {"capabilities", {"no capabilities"}, NULL},
    [LAYER_NNP] = {"no_new_privs", {"no_new_privs"}, NULL},
    [LAYER_MOUNTS] = {"read-only view", {"read-only view"}, "--sandbox=off"},
    [LAYER_TMP] = {"private /tmp", {"private /tmp"}, "--sandbox=off"},
    [LAYER_WRITES] = {"Landlock", {"Landlock", "Landlock without signals"}, "--sandbox=off"},
    [LAYER_SYSCALLS] = {"seccomp", {"seccomp"}, "--sandbox=off"},
    [LAYER_MEMORY] = {"memory limit", {"memory limit (cgroup)", "memory limit (rlimit)"}, "off"},
    [LAYER_CPU] = {"CPU limit", {"CPU limit (cgroup)"}, "no delegated cgroup"},
    [LAYER_CORE] = {"no core dumps", {"no core dumps"}, "--core-dumps"},
};

enum sandbox_kind sandbox_kind(const struct service_def *d)
{
	if (d->flags & SERVICE_ADMISSION)
		return SANDBOX_ADMISSION;
	return d->worker ? SANDBOX_WORKER : SANDBOX_WATCHER;
}

struct sandbox_report *sandbox_reports_new(size_t n)
{
	void *p = mmap(NULL, n * sizeof(struct sandbox_report), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		fatal("no memory for the sandbox's reports");
	return p;
}

void sandbox_describe(const struct sandbox_report *r, struct buf *out)
{
	_cleanup_buf_ struct buf missing = {0};
	for (size_t i = 0; i < N_LAYERS; i++) {
		int v = r->layer[i];
		if (v >= 1 && v <= VARIANTS && layers[i].variants[v - 1])
			buf_printf(out, "%s%s", out->len ? ", " : "", layers[i].variants[v - 1]);
		else
			buf_printf(&missing, "%s%s (%s)", missing.len ? ", " : "", layers[i].name,
				   v < 0 ? strerror(-v) : layers[i].absent);
	}
	if (missing.len)
		buf_printf(out, "; not in force: %s", buf_str(&missing));
}

/* ---- the plan ---- */

static void give(const struct sandbox_plan *p, int fd, const char *path)
{
	if (p->drop_user && fchown(fd, p->uid, p->gid) < 0)
		log_warn("%s: cannot give it to the children's user: %s", path, strerror(errno));
}

/* A rule can be made only for what exists. */
static bool ensure(const struct sandbox_plan *p, const char *path, bool dir)
{
	if (dir && mkdir(path, 0700) < 0 && errno != EEXIST)
		return false;
	int flags = dir ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT;
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return false;
	struct stat st;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		give(p, fd, path);
	close(fd);
	return true;
}

static void add(struct sandbox_plan *p, char *path, bool dir, bool write)
{
	if (p->n_paths == SANDBOX_MAX_PATHS) {
		log_warn("sandbox: too many folders; %s is left out", path);
		free(path);
		return;
	}
	p->paths[p->n_paths++] = (struct sandbox_path){path, dir, write};
}

static void add_own(struct sandbox_plan *p, const char *name, bool dir)
{
	char *path = xasprintf("%s/%s", p->rundir, name);
	if (ensure(p, path, dir))
		add(p, path, dir, true);
	else
		free(path);
}

/* What exists, with symbolic links resolved. */
static void add_existing(struct sandbox_plan *p, const char *path, bool write)
{
	char *real = realpath(path, NULL);
	struct stat st;
	if (real && stat(real, &st) == 0 && S_ISDIR(st.st_mode))
		add(p, real, true, write);
	else
		free(real);
}

static void add_listed(struct sandbox_plan *p, const char *list, const char *separator, bool file)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *save = NULL;
	for (char *s = strtok_r(copy, separator, &save); s; s = strtok_r(NULL, separator, &save)) {
		_cleanup_free_ char *real = realpath(s, NULL);
		char *slash = real && file ? strrchr(real, '/') : NULL;
		if (slash && slash > real)
			*slash = '\0';
		if (real)
			add_existing(p, real, !file);
	}
}

/* The certificates are kept in a folder that the worker makes when it is missing. */
static void add_certificates(struct sandbox_plan *p)
{
	const char *dir = getenv("WEBHOOK_CERT_DIR"), *writer = getenv("WEBHOOK_CERT_WRITER");
	const char *host = getenv("WEBHOOK_HOST");
	bool files = writer && *writer ? strcmp(writer, "fs") == 0 : host && *host;
	if (!files)
		return;
	dir = dir && *dir ? dir : "/tmp/kruise-webhook-certs";
	if (ensure(p, dir, true))
		add_existing(p, dir, true);
}

/* Each writes only what is its own: the store's contents belong to the watcher alone. */
static void add_by_kind(struct sandbox_plan *p, const struct service_def *d)
{
	if (sandbox_kind(d) == SANDBOX_WATCHER) {
		add(p, xstrdup(p->rundir), true, true);
		return;
	}
	add(p, xstrdup(p->rundir), true, false);
	add_own(p, "metrics", true);
	add_own(p, "store/lock.mdb", false); /* readers note themselves there */
	if (d->flags & SERVICE_CONFIG) {
		add_own(p, "webhook", true);
		add_certificates(p);
	}
	if (d->flags & SERVICE_ELECTOR)
		add_own(p, "identity", false);
	if (!(d->flags & SERVICE_LEADER_ONLY))
		return;
	_cleanup_free_ char *journal = xasprintf("journal-%s", d->worker);
	_cleanup_free_ char *lock = xasprintf("%s-lock", journal);
	add_own(p, journal, false);
	add_own(p, lock, false);
}

static void add_paths(const struct supervisor *s, struct sandbox_plan *p,
		      const struct service_def *d)
{
	const char *env = getenv("KUBECONFIG");
	_cleanup_free_ char *store = xasprintf("%s/store", p->rundir);
	_cleanup_free_ char *webhook = xasprintf("%s/webhook", p->rundir);
	ensure(p, store, true);
	ensure(p, webhook, true);
	add_by_kind(p, d);
	/* to be seen in a private /tmp */
	add_existing(p, s->libexec_dir, false);
	if (s->options.kubeconfig && *s->options.kubeconfig)
		add_listed(p, s->options.kubeconfig, ":", true);
	else if (env && *env)
		add_listed(p, env, ":", true);
	add_listed(p, s->options.sandbox_writable, ",", false);
}

void sandbox_plan(const struct supervisor *s, const struct service_def *d,
		  struct sandbox_report *report, struct sandbox_plan *out)
{
	*report = (struct sandbox_report){0};
	*out = (struct sandbox_plan){
	    .off = strcmp(s->options.sandbox, "off") == 0,
	    .drop_user = s->drop_user,
	    .core_dumps = s->options.core_dumps,
	    .uid = s->uid,
	    .gid = s->gid,
	    .rundir = s->options.runtime_dir,
	    .report = report,
	};
	if (out->off)
		return;
	add_paths(s, out, d);
	out->filter = s->filters[sandbox_kind(d)];
	report->layer[LAYER_SYSCALLS] = (int16_t)s->filters_missing;
}

void sandbox_plan_free(struct sandbox_plan *p)
{
	for (size_t i = 0; i < p->n_paths; i++)
		free(p->paths[i].path);
	p->n_paths = 0;
}
