/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Between fork and exec: nothing here takes a lock or memory. */

#define LAST_CAPABILITY 63
#define TMP_OPTIONS "mode=1777,size=64m"
#define TMP "/tmp"

static void note(const struct sandbox_plan *p, enum sandbox_layer layer, int value)
{
	p->report->layer[layer] = (int16_t)value;
}

/* ---- mounts ---- */

static bool below_tmp(const char *path)
{
	return strncmp(path, TMP "/", sizeof(TMP)) == 0;
}

static int make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		int r = mkdir(path, 0755);
		*p = '/';
		if (r < 0 && errno != EEXIST)
			return -errno;
	}
	return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* An empty /tmp, in which the folders that are needed appear again. */
static int private_tmp(const struct sandbox_plan *p)
{
	int fds[SANDBOX_MAX_PATHS + 1], r = 0;
	for (size_t i = 0; i < p->n_paths; i++) {
		const struct sandbox_path *q = &p->paths[i];
		fds[i] = q->dir && below_tmp(q->path)
			     ? open_tree(AT_FDCWD, q->path,
					 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)
			     : -1;
	}
	if (mount("tmpfs", TMP, "tmpfs", MS_NOSUID | MS_NODEV, TMP_OPTIONS) < 0)
		r = -errno;
	for (size_t i = 0; r == 0 && i < p->n_paths; i++) {
		if (fds[i] < 0)
			continue;
		r = make_parents(p->paths[i].path);
		if (r == 0 &&
		    move_mount(fds[i], "", AT_FDCWD, p->paths[i].path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
			r = -errno;
	}
	for (size_t i = 0; i < p->n_paths; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return r;
}

static int set_read_only(const char *path, bool read_only, bool recursive)
{
	struct mount_attr attr = {0};
	if (read_only)
		attr.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
	else
		attr.attr_clr = MOUNT_ATTR_RDONLY;
	return mount_setattr(AT_FDCWD, path, recursive ? AT_RECURSIVE : 0, &attr, sizeof(attr)) < 0
		   ? -errno
		   : 0;
}

static int bind_writable(const char *path)
{
	return mount(path, path, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

static int read_only_view(const struct sandbox_plan *p)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < p->n_paths; i++)
		if (p->paths[i].write)
			r = bind_writable(p->paths[i].path);
	if (r == 0)
		r = set_read_only("/", true, true);
	for (size_t i = 0; r == 0 && i < p->n_paths; i++)
		if (p->paths[i].write)
			r = set_read_only(p->paths[i].path, false, false);
	return r;
}

static const char *mounts(const struct sandbox_plan *p)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
		note(p, LAYER_MOUNTS, -errno);
		note(p, LAYER_TMP, -errno);
		return NULL;
	}
	/* From here on half a view could miss what the child needs. */
	int r = private_tmp(p);
	note(p, LAYER_TMP, r < 0 ? r : 1);
	if (r < 0) {
		errno = -r;
		return "private /tmp";
	}
	r = read_only_view(p);
	if (r == 0)
		set_read_only(TMP, false, false);
	note(p, LAYER_MOUNTS, r < 0 ? r : 1);
	return NULL;
}

/* ---- user and capabilities ---- */

static const char *become(const struct sandbox_plan *p)
{
	bool privileged = geteuid() == 0;
	for (int cap = 0; privileged && cap <= LAST_CAPABILITY; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (p->drop_user && p->uid != 0) {
		if (setgroups(0, NULL) < 0 || setresgid(p->gid, p->gid, p->gid) < 0 ||
		    setresuid(p->uid, p->uid, p->uid) < 0)
			return "change of user";
		note(p, LAYER_USER, 1);
	} else {
		note(p, LAYER_USER, privileged ? 0 : 2);
	}
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};
	note(p, LAYER_CAPS, syscall(SYS_capset, &head, none) < 0 ? -errno : 1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return "no_new_privs";
	note(p, LAYER_NNP, 1);
	return NULL;
}

/* ---- Landlock ---- */

/* The kernel's interface, of which older headers know only the first parts. */
struct ruleset_attr {
	uint64_t handled_access_fs, handled_access_net, scoped;
};
struct path_rule {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

enum {
	FS_WRITE_FILE = 1 << 1,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_ANY = 0x7f << 6, /* character device … symbolic link */
	FS_REFER = 1 << 13,	 /* ABI 2 */
	FS_TRUNCATE = 1 << 14,	 /* ABI 3 */
	SCOPE_ABSTRACT = 1 << 0, /* ABI 6: abstract sockets, and signals, to one's own only */
	SCOPE_SIGNAL = 1 << 1,
	RULE_PATH_BENEATH = 1,
	VERSION_ONLY = 1,
};

static int allow(int ruleset, const char *path, uint64_t access)
{
	struct path_rule rule = {.allowed_access = access};
	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return -errno;
	long r = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	int saved = errno;
	close(rule.parent_fd);
	return r < 0 ? -saved : 0;
}

static int restrict_writes(const struct sandbox_plan *p)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_ONLY);
	if (abi < 1)
		return -errno;
	uint64_t file = FS_WRITE_FILE | (abi >= 3 ? FS_TRUNCATE : 0);
	uint64_t dir =
	    file | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_ANY | (abi >= 2 ? FS_REFER : 0);
	struct ruleset_attr attr = {.handled_access_fs = dir};
	if (abi >= 6)
		attr.scoped = SCOPE_ABSTRACT | SCOPE_SIGNAL;
	size_t size = abi >= 6 ? sizeof(attr) : sizeof(attr.handled_access_fs);
	int fd = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (fd < 0)
		return -errno;
	int r = allow(fd, "/dev/null", FS_WRITE_FILE);
	if (r == 0 && p->report->layer[LAYER_TMP] == 1)
		r = allow(fd, TMP, dir);
	for (size_t i = 0; r == 0 && i < p->n_paths; i++)
		if (p->paths[i].write)
			r = allow(fd, p->paths[i].path, p->paths[i].dir ? dir : file);
	if (r == 0 && syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		r = -errno;
	close(fd);
	return r < 0 ? r : abi >= 6 ? 1 : 2;
}

const char *sandbox_enter(const struct sandbox_plan *p)
{
	const char *failed = p->off ? NULL : mounts(p);
	if (!failed)
		failed = become(p);
	if (!failed && !p->off)
		note(p, LAYER_WRITES, restrict_writes(p));
	return failed;
}

void sandbox_filter(const struct sandbox_plan *p)
{
	if (p->filter.len == 0)
		return;
	note(p, LAYER_SYSCALLS, 1); /* the page is out of reach behind the exec only */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p->filter, 0, 0) < 0)
		note(p, LAYER_SYSCALLS, -errno);
}
