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

static bool has_memory_controller(const char *path)
{
	char file[300], line[256] = "";
	snprintf(file, sizeof(file), "%s/cgroup.controllers", path);
	FILE *f = fopen(file, "re");
	if (!f)
		return false;
	bool found = fgets(line, sizeof(line), f) && strstr(line, "memory");
	fclose(f);
	return found;
}

void cgroups_init(struct cgroups *c)
{
	char group[200], own[300];
	struct statfs fs;
	*c = (struct cgroups){0};
	if (statfs(CGROUP_ROOT, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC ||
	    !own_group(group, sizeof(group)))
		return;
	snprintf(c->path, sizeof(c->path), CGROUP_ROOT "%s", strcmp(group, "/") ? group : "");
	if (!delegated(c->path, group) || access(c->path, W_OK) < 0 ||
	    !has_memory_controller(c->path))
		return;
	/* Controllers can be given to sub-groups only by a group without processes of its own. */
	snprintf(own, sizeof(own), "%s/supervisor", c->path);
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
	log_info("children get memory limits in sub-groups of %s", c->path);
}

int cgroups_child(const struct cgroups *c, const char *name, uint64_t memory)
{
	char dir[400], path[512], text[32];
	if (!c->enabled)
		return -1;
	snprintf(dir, sizeof(dir), "%s/%s", c->path, name);
	if (mkdir(dir, 0755) < 0 && errno != EEXIST) {
		log_warn("%s: %s", dir, strerror(errno));
		return -1;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)memory);
	int r = write_file(dir, "memory.max", text);
	if (r < 0) {
		log_warn("%s/memory.max: %s", dir, strerror(-r));
		return -1;
	}
	/* Swap would only make a leak slower, and for all. Not every kernel accounts it. */
	write_file(dir, "memory.swap.max", "0");
	write_file(dir, "memory.oom.group", "1");
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	return open(path, O_WRONLY | O_CLOEXEC);
}
