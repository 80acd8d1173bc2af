/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/child.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_NR(nr, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), (yes), (no))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))

static bool wanted(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return false; /* the leak checker forks */
#else
	const char *sandbox = getenv("KRUISED_SANDBOX");
	return ARCH != 0 && sandbox && strcmp(sandbox, "off") != 0;
#endif
}

static void load(struct sock_filter *filter, size_t n)
{
	const struct sock_fprog program = {(unsigned short)n, filter};
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
		log_debug("seccomp: %s", strerror(errno));
}

void child_no_exec(bool threads_only)
{
	/* Little-endian: the flags of clone are in the low word of its first argument. */
	struct sock_filter no_exec[] = {
	    LOAD(arch),
	    IF_NR(ARCH, 0, 4),
	    LOAD(nr),
	    IF_NR(SYS_execve, 2, 0),
	    IF_NR(SYS_execveat, 1, 0),
	    RETURN(SECCOMP_RET_ALLOW),
	    RETURN(SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_filter no_fork[] = {
	    LOAD(nr),
	    IF_NR(SYS_clone, 0, 2), /* to ALLOW */
	    LOAD(args[0]),
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
	    RETURN(SECCOMP_RET_ALLOW),
	    RETURN(SECCOMP_RET_KILL_PROCESS),
	};
	if (!wanted())
		return;
	load(no_exec, sizeof(no_exec) / sizeof(no_exec[0]));
	if (threads_only)
		load(no_fork, sizeof(no_fork) / sizeof(no_fork[0]));
}
