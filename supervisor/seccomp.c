/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/sandbox.h"

#include <errno.h>

/*
 * The system calls that a child may make; any other ends the process (SIGSYS), and it alone. The
 * lists are generous within what such programs do, and leave out what a process uses to get at
 * others or at the kernel: ptrace, process_vm_*, mounts, namespaces, keys, modules, bpf, io_uring,
 * userfaultfd, perf. A credential plugin of a kubeconfig runs under its parent's filter.
 */
#if defined(HAVE_SECCOMP) && !defined(__SANITIZE_ADDRESS__)

#include <linux/sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/base/buf.h"
#include "ipc/base/log.h"

static const char *const common[] = {"read",
				     "write",
				     "readv",
				     "writev",
				     "pread64",
				     "pwrite64",
				     "preadv",
				     "pwritev",
				     "preadv2",
				     "pwritev2",
				     "lseek",
				     "close",
				     "close_range",
				     "open",
				     "openat",
				     "openat2",
				     "creat",
				     "stat",
				     "fstat",
				     "lstat",
				     "newfstatat",
				     "statx",
				     "access",
				     "faccessat",
				     "faccessat2",
				     "readlink",
				     "readlinkat",
				     "getdents",
				     "getdents64",
				     "getcwd",
				     "chdir",
				     "fchdir",
				     "fcntl",
				     "flock",
				     "ftruncate",
				     "truncate",
				     "fallocate",
				     "fsync",
				     "fdatasync",
				     "sync_file_range",
				     "fadvise64",
				     "rename",
				     "renameat",
				     "renameat2",
				     "unlink",
				     "unlinkat",
				     "mkdir",
				     "mkdirat",
				     "rmdir",
				     "chmod",
				     "fchmod",
				     "fchmodat",
				     "umask",
				     "statfs",
				     "fstatfs",
				     "ioctl",
				     "dup",
				     "dup2",
				     "dup3",
				     "pipe",
				     "pipe2",
				     "mmap",
				     "munmap",
				     "mprotect",
				     "mremap",
				     "madvise",
				     "msync",
				     "mincore",
				     "mlock",
				     "munlock",
				     "brk",
				     "memfd_create",
				     "futex",
				     "set_robust_list",
				     "get_robust_list",
				     "rseq",
				     "set_tid_address",
				     "arch_prctl",
				     "membarrier",
				     "exit",
				     "exit_group",
				     "sched_yield",
				     "sched_getaffinity",
				     "sched_getparam",
				     "sched_getscheduler",
				     "sched_setscheduler",
				     "getcpu",
				     "gettid",
				     "getpid",
				     "getppid",
				     "getpgrp",
				     "getpgid",
				     "getsid",
				     "getuid",
				     "geteuid",
				     "getgid",
				     "getegid",
				     "getgroups",
				     "getresuid",
				     "getresgid",
				     "capget",
				     "prctl",
				     "getrandom",
				     "getrusage",
				     "getrlimit",
				     "prlimit64",
				     "sysinfo",
				     "uname",
				     "times",
				     "time",
				     "gettimeofday",
				     "clock_gettime",
				     "clock_getres",
				     "clock_nanosleep",
				     "nanosleep",
				     "timerfd_create",
				     "timerfd_settime",
				     "timerfd_gettime",
				     "setitimer",
				     "getitimer",
				     "alarm",
				     "pause",
				     "rt_sigaction",
				     "rt_sigprocmask",
				     "rt_sigreturn",
				     "rt_sigpending",
				     "rt_sigsuspend",
				     "rt_sigtimedwait",
				     "sigaltstack",
				     "restart_syscall",
				     "tgkill",
				     "tkill",
				     "kill",
				     "signalfd",
				     "signalfd4",
				     "eventfd",
				     "eventfd2",
				     "epoll_create",
				     "epoll_create1",
				     "epoll_ctl",
				     "epoll_wait",
				     "epoll_pwait",
				     "epoll_pwait2",
				     "poll",
				     "ppoll",
				     "select",
				     "pselect6",
				     "inotify_init",
				     "inotify_init1",
				     "inotify_add_watch",
				     "inotify_rm_watch",
				     "socket",
				     "socketpair",
				     "connect",
				     "bind",
				     "getsockname",
				     "getpeername",
				     "getsockopt",
				     "setsockopt",
				     "sendto",
				     "recvfrom",
				     "sendmsg",
				     "recvmsg",
				     "sendmmsg",
				     "recvmmsg",
				     "shutdown",
				     "sendfile",
				     "splice",
				     "copy_file_range",
				     "seccomp",
				     NULL};

/* the program itself is started under the filter; processes without a use for more give up exec */
static const char *const starts[] = {"execve", NULL};

static const char *const plugin[] = {"vfork",	      "fork",	      "wait4",
				     "waitid",	      "pidfd_open",   "pidfd_send_signal",
				     "execveat",      "setpgid",      "setsid",
				     "link",	      "linkat",	      "symlink",
				     "symlinkat",     "utimensat",    "sched_setaffinity",
				     "getpriority",   "setrlimit",    "timer_create",
				     "timer_settime", "timer_delete", NULL};

static const char *const server[] = {"accept", "accept4", "listen", NULL};

#define MAX_LISTS 3
static const char *const *const lists[N_SANDBOX_KINDS][MAX_LISTS] = {
    [SANDBOX_WATCHER] = {starts, plugin, server},
    [SANDBOX_WORKER] = {starts, plugin, NULL},
    [SANDBOX_ADMISSION] = {starts, server, NULL},
};

static int add_list(scmp_filter_ctx f, const char *const *names)
{
	for (; *names; names++) {
		int nr = seccomp_syscall_resolve_name(*names);
		/* not every architecture has every one */
		if (nr == __NR_SCMP_ERROR || nr < 0)
			continue;
		int r = seccomp_rule_add(f, SCMP_ACT_ALLOW, nr, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Threads and processes, but no namespaces. clone3 hides its flags in memory: C libraries fall back
 * to clone when it does not exist. */
static int add_clone(scmp_filter_ctx f)
{
	const unsigned long namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
					 CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
	int r = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (r == 0)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				     SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces, 0));
	return r;
}

static int fill(scmp_filter_ctx f, enum sandbox_kind kind)
{
	/* a binary tree of the numbers, instead of one comparison after the other */
	seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	int r = add_list(f, common);
	for (size_t i = 0; r == 0 && i < MAX_LISTS && lists[kind][i]; i++)
		r = add_list(f, lists[kind][i]);
	return r == 0 ? add_clone(f) : r;
}

/* libseccomp writes programs to files only. */
static int export_program(scmp_filter_ctx f, struct sock_fprog *out)
{
	struct stat st;
	int fd = memfd_create("seccomp", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = seccomp_export_bpf(f, fd);
	if (r == 0 && (fstat(fd, &st) < 0 || st.st_size <= 0))
		r = -EIO;
	if (r == 0) {
		out->filter = xmalloc((size_t)st.st_size);
		out->len = (unsigned short)((size_t)st.st_size / sizeof(struct sock_filter));
		if (pread(fd, out->filter, (size_t)st.st_size, 0) != st.st_size)
			r = -EIO;
	}
	close(fd);
	return r;
}

static int make(enum sandbox_kind kind, struct sock_fprog *out)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_KILL_PROCESS);
	if (!f)
		return -ENOMEM;
	int r = fill(f, kind);
	if (r == 0)
		r = export_program(f, out);
	seccomp_release(f);
	if (r < 0)
		log_warn("seccomp: cannot make the filter: %s", strerror(-r));
	return r;
}

int seccomp_programs(struct sock_fprog out[N_SANDBOX_KINDS])
{
	int r = 0;
	for (int kind = 0; r == 0 && kind < N_SANDBOX_KINDS; kind++)
		r = make((enum sandbox_kind)kind, &out[kind]);
	for (int kind = 0; r < 0 && kind < N_SANDBOX_KINDS; kind++) {
		free(out[kind].filter);
		out[kind] = (struct sock_fprog){0};
	}
	return r;
}

#else

int seccomp_programs(struct sock_fprog out[N_SANDBOX_KINDS])
{
	(void)out;
	return -EOPNOTSUPP; /* built without libseccomp, or with sanitizers, which need ptrace */
}

#endif
