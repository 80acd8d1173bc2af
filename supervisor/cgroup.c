/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CGROUP_ROOT "/sys/fs/cgroup"
#define OWN_GROUP "/supervisor"
#define CPU_MAX "200000 100000" /* two CPUs: one for its loop, one for a thread or a plugin */
#define PIDS_MAX "64"		/* threads and credential plugins */

static int write_file(const char *dir, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = write(fd, text, strlen(text));
	int r = n < 0 ? -errno : 0;
	close(fd);
	return r;
}

/* The path of our group below the v2 hierarchy. */
static bool own_group(char *out, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	if (!f)
		return false;
	char line[512];
	bool found = false;
	while (!found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) != 0)
			continue;
		snprintf(out, size, "%s", line + 3);
		found = true;
	}
	fclose(f);
	return found;
}

/* systemd marks what it delegates; PID 1 of a container owns the root of its namespace. */
static bool delegated(const char *path, const char *group)
{
	char value[8];
	if (getxattr(path, "user.delegate", value, sizeof(value)) > 0 ||
	    getxattr(path, "trusted.delegate", value, sizeof(value)) > 0)
		return true;
	return getpid() == 1 && strcmp(group, "/") == 0;
}

static bool has_controller(const char *path, const char *name)
{
	char file[300], line[256] = "";
	snprintf(file, sizeof(file), "%s/cgroup.controllers", path);
	FILE *f = fopen(file, "re");
	if (!f)
		return false;
	bool found = fgets(line, sizeof(line), f) && strstr(line, name);
	fclose(f);
	return found;
}

/* A supervisor that has taken over sits in the sub-group that its predecessor made. */
static void leave_own(char *group)
{
	char *own = strrchr(group, '/');
	if (!own || strcmp(own, OWN_GROUP) != 0)
		return;
	own[own == group] = '\0';
}

void cgroups_init(struct cgroups *c, bool taken_over)
{
	char group[200], own[300];
	struct statfs fs;
	*c = (struct cgroups){0};
	if (statfs(CGROUP_ROOT, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC ||
	    !own_group(group, sizeof(group)))
		return;
	if (taken_over)
		leave_own(group);
	snprintf(c->path, sizeof(c->path), CGROUP_ROOT "%s", strcmp(group, "/") ? group : "");
	if (!delegated(c->path, group) || access(c->path, W_OK) < 0 ||
	    !has_controller(c->path, "memory"))
		return;
	/* Controllers can be given to sub-groups only by a group without processes of its own. */
	snprintf(own, sizeof(own), "%s" OWN_GROUP, c->path);
	if (mkdir(own, 0755) < 0 && errno != EEXIST)
		return;
	int r = write_file(own, "cgroup.procs", "0");
	if (r == 0)
		r = write_file(c->path, "cgroup.subtree_control", "+memory");
	if (r < 0) {
		log_warn("cgroup %s: no memory limits in sub-groups: %s", c->path, strerror(-r));
		return;
	}
	c->enabled = true;
	c->cpu = has_controller(c->path, "cpu") &&
		 write_file(c->path, "cgroup.subtree_control", "+cpu") == 0;
	if (has_controller(c->path, "pids"))
		write_file(c->path, "cgroup.subtree_control", "+pids");
	log_info("children get memory limits in sub-groups of %s", c->path);
}

/* Admission comes before the rest when there is not enough for all. */
static int limit_cpu(const char *dir, const struct service_def *d)
{
	write_file(dir, "cpu.weight", d->flags & SERVICE_ADMISSION ? "300" : "100");
	int r = write_file(dir, "cpu.max", CPU_MAX);
	return r < 0 ? r : 1;
}

struct cgroup_child cgroups_child(const struct cgroups *c, const struct service_def *d)
{
	struct cgroup_child out = {.fd = -1};
	char dir[400], path[512], text[32];
	if (!c->enabled)
		return out;
	snprintf(dir, sizeof(dir), "%s/%s", c->path, d->name);
	if (mkdir(dir, 0755) < 0 && errno != EEXIST) {
		log_warn("%s: %s", dir, strerror(errno));
		return out;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)d->memory);
	int r = write_file(dir, "memory.max", text);
	if (r < 0) {
		log_warn("%s/memory.max: %s", dir, strerror(-r));
		return out;
	}
	/* Swap would only make a leak slower, and for all. Not every kernel accounts it. */
	write_file(dir, "memory.swap.max", "0");
	write_file(dir, "memory.oom.group", "1");
	write_file(dir, "pids.max", PIDS_MAX);
	out.cpu = c->cpu ? limit_cpu(dir, d) : 0;
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	out.fd = open(path, O_WRONLY | O_CLOEXEC);
	return out;
}
