/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A child for tests of the supervisor: it speaks the real control channel and misbehaves on demand.
 * Files in $FAKE_DIR say how, looked at every 10 ms; NAME is $KRUISED_NAME:
 *
 *   NAME.crash     exits with status 3 at once
 *   NAME.mute      never says hello
 *   NAME.noready   stays not ready
 *   NAME.hang      its loop stops turning; the file is removed, so that the next process does not
 *   NAME.leak      takes memory until there is none
 *   NAME.forbidden makes a system call that no filter allows; the file is removed before
 *   NAME.exec      starts a program after having given that up; likewise
 *   NAME.signal    tries to kill its siblings, and writes what came of it to NAME.signalled
 *   NAME.write     opens the file that is named in it for writing; the result is in NAME.written
 *   NAME.slowstop  does not stop when told
 *   NAME.orphan    leaves a dead grandchild to its reaper, and says so in the log
 *   elector.until  µs from now that leadership is certain, renewed as long as the file is there
 *
 * It appends "start NAME PID", "stop NAME", "exit NAME" to $FAKE_DIR/log, and writes NAME.env (its
 * environment), NAME.fds (open descriptors) and NAME.level (log level). A webhookd answers
 * connections with its name.
 *
 * `fakechild --attack ENDPOINT N` is no child: it sends N rounds of what no child should send to
 * the control channel, and ends when all of it is handed over.
 */
#include "ipc/base/buf.h"
#include "ipc/base/log.h"
#include "ipc/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#define POLL_USEC 10000u

struct fake {
	sd_event *loop;
	struct child *child;
	const char *dir, *name;
	bool stopping, orphaned;
	int level;
	unsigned long long promised; /* the last content of elector.until */
};

static char *path_of(const struct fake *f, const char *suffix)
{
	return xasprintf("%s/%s%s", f->dir, f->name, suffix);
}

static bool wants(const struct fake *f, const char *suffix)
{
	_cleanup_free_ char *path = path_of(f, suffix);
	return access(path, F_OK) == 0;
}

static void note(const struct fake *f, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/log", f->dir);
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		fatal("%s: %s", path, strerror(errno));
	dprintf(fd, "%s\n", text);
	close(fd);
}

static void note_event(const struct fake *f, const char *event)
{
	_cleanup_free_ char *line = xasprintf("%s %s %d", event, f->name, (int)getpid());
	note(f, line);
}

static void write_file(const struct fake *f, const char *suffix, const char *text)
{
	_cleanup_free_ char *path = path_of(f, suffix);
	_cleanup_free_ char *temp = xasprintf("%s.new", path);
	FILE *out = fopen(temp, "we");
	if (!out || fputs(text, out) < 0 || fclose(out) != 0 || rename(temp, path) < 0)
		fatal("%s: %s", path, strerror(errno));
}

static void write_env(const struct fake *f, int argc, char **argv)
{
	_cleanup_buf_ struct buf b = {0};
	for (char **p = environ; *p; p++)
		buf_printf(&b, "%s\n", *p);
	for (int i = 0; i < argc; i++)
		buf_printf(&b, "argv[%d]=%s\n", i, argv[i]);
	buf_printf(&b, "uid=%d\nno_new_privs=%d\n", (int)getuid(),
		   prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	write_file(f, ".env", buf_str(&b));
}

static void write_fds(const struct fake *f)
{
	_cleanup_buf_ struct buf b = {0};
	DIR *d = opendir("/proc/self/fd");
	struct dirent *entry;
	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(d))
			buf_printf(&b, "%s\n", entry->d_name);
	if (d)
		closedir(d);
	write_file(f, ".fds", buf_str(&b));
}

static void leak(void)
{
	for (;;)
		if (mmap(NULL, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) == MAP_FAILED)
			fatal("out of memory");
}

static void orphan(struct fake *f)
{
	f->orphaned = true;
	pid_t middle = fork();
	if (middle == 0) {
		pid_t grand = fork();
		if (grand == 0)
			_exit(0);
		_cleanup_free_ char *line = xasprintf("orphan %d", (int)grand);
		note(f, line);
		_exit(0);
	}
	waitpid(middle, NULL, 0);
}

static uint64_t mono_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

static void lead(struct fake *f)
{
	_cleanup_free_ char *path = path_of(f, ".until");
	FILE *in = fopen(path, "re");
	unsigned long long usec;
	if (!in)
		return;
	if (fscanf(in, "%llu", &usec) == 1) {
		child_set_leader_until(f->child, mono_usec() + usec);
		if (usec != f->promised) {
			_cleanup_free_ char *line = xasprintf("until %llu", usec);
			note(f, line);
		}
		f->promised = usec;
	}
	fclose(in);
}

static void leave(struct fake *f)
{
	note_event(f, "exit");
	sd_event_exit(f->loop, 0);
}

/* True once for each time that the file is made. */
static bool wants_once(const struct fake *f, const char *suffix)
{
	_cleanup_free_ char *path = path_of(f, suffix);
	return unlink(path) == 0;
}

/* Kills the process whose number is in the file. */
static void kill_other(struct fake *f)
{
	_cleanup_free_ char *path = path_of(f, ".signal");
	FILE *in = fopen(path, "re");
	int pid = 0;
	if (!in)
		return;
	bool got = fscanf(in, "%d", &pid) == 1;
	fclose(in);
	if (!got || pid <= 0)
		return;
	unlink(path);
	_cleanup_free_ char *environment = xasprintf("/proc/%d/environ", pid);
	char c;
	int fd = open(environment, O_RDONLY | O_CLOEXEC);
	bool readable = fd >= 0 && read(fd, &c, 1) == 1;
	if (fd >= 0)
		close(fd);
	_cleanup_free_ char *text =
	    xasprintf("kill: %s\nenviron: %s\n", kill(pid, SIGKILL) < 0 ? strerror(errno) : "done",
		      readable ? "read" : "refused");
	write_file(f, ".signalled", text);
}

static void write_other(struct fake *f)
{
	_cleanup_free_ char *path = path_of(f, ".write");
	FILE *in = fopen(path, "re");
	char target[256] = "";
	if (!in)
		return;
	bool got = fscanf(in, "%255s", target) == 1;
	fclose(in);
	if (!got)
		return;
	int fd = open(target, O_WRONLY | O_CLOEXEC);
	write_file(f, ".written", fd < 0 ? strerror(errno) : "done");
	if (fd >= 0)
		close(fd);
	unlink(path);
}

/* What a process that has been taken over would try. */
static void take_liberties(struct fake *f)
{
	static char *const argv[] = {(char *)"true", NULL};
	if (wants_once(f, ".forbidden"))
		syscall(SYS_keyctl, 0, 0, 0, 0, 0);
	if (wants_once(f, ".exec")) {
		child_no_exec(false);
		execv("/bin/true", argv);
	}
	kill_other(f);
	write_other(f);
}

static void misbehave(struct fake *f)
{
	if (wants(f, ".crash"))
		_exit(3);
	if (wants(f, ".leak"))
		leak();
	take_liberties(f);
	if (wants(f, ".orphan") && !f->orphaned)
		orphan(f);
	if (wants(f, ".hang")) {
		_cleanup_free_ char *path = path_of(f, ".hang");
		unlink(path);
		for (;;)
			pause();
	}
}

static int on_poll(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)usec;
	struct fake *f = userdata;
	misbehave(f);
	child_set_ready(f->child, !wants(f, ".noready"), "a note");
	if (strcmp(f->name, "elector") == 0) {
		if (f->stopping && child_leader_workers(f->child) == 0)
			leave(f);
		else if (!f->stopping)
			lead(f);
	}
	if ((int)log_get_level() != f->level) {
		f->level = (int)log_get_level();
		write_file(f, ".level", log_level_name(log_get_level()));
	}
	sd_event_source_set_time_relative(s, POLL_USEC);
	return 0;
}

static void on_stop(void *userdata)
{
	struct fake *f = userdata;
	f->stopping = true;
	note_event(f, "stop");
	if (wants(f, ".slowstop") || strcmp(f->name, "elector") == 0)
		return;
	leave(f);
}

static int on_accept(sd_event_source *s, int fd, uint32_t revents, void *userdata)
{
	(void)s;
	(void)revents;
	struct fake *f = userdata;
	int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (c < 0)
		return 0;
	dprintf(c, "%s\n", f->name);
	close(c);
	return 0;
}

static void send_frames(void *socket, const void *p, size_t n, int count)
{
	for (int i = 0; i < count; i++)
		if (zmq_send(socket, p, n, i + 1 < count ? ZMQ_SNDMORE : 0) < 0)
			fatal("zmq_send: %s", zmq_strerror(errno));
}

static int attack(const char *endpoint, int rounds)
{
	static const char wrong_token[] = "\x95\x02\xd9\x20"
					  "0123456789abcdef0123456789abcdef\xc3\xc0\x00";
	static const char stop[] = "\x91\x11";
	char big[4096], huge[1 << 20];
	memset(big, 0xdc, sizeof(big));
	memset(huge, 0x91, sizeof(huge));
	void *ctx = zmq_ctx_new();
	void *socket = zmq_socket(ctx, ZMQ_DEALER);
	if (zmq_connect(socket, endpoint) != 0)
		fatal("%s: %s", endpoint, zmq_strerror(errno));
	for (int i = 0; i < rounds; i++) {
		send_frames(socket, "", 0, 1);
		send_frames(socket, wrong_token, sizeof(wrong_token) - 1, 1);
		send_frames(socket, stop, sizeof(stop) - 1, 1);
		send_frames(socket, big, sizeof(big), 1);
		send_frames(socket, wrong_token, sizeof(wrong_token) - 1, 50);
	}
	/* over ZMQ_MAXMSGSIZE: the supervisor cuts the connection */
	send_frames(socket, huge, sizeof(huge), 1);
	int linger = 5000;
	zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
	zmq_close(socket);
	zmq_ctx_term(ctx);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--attack") == 0)
		return attack(argv[2], atoi(argv[3]));
	struct fake f = {.dir = getenv("FAKE_DIR"), .name = getenv("KRUISED_NAME"), .level = -1};
	struct err e = {0};
	if (!f.dir || !f.name)
		fatal("FAKE_DIR and KRUISED_NAME are needed");
	log_init(f.name, LOG_LVL_INFO, false);
	write_fds(&f);
	write_env(&f, argc, argv);
	note_event(&f, "start");
	if (wants(&f, ".crash"))
		return 3;
	if (wants(&f, ".mute"))
		for (;;)
			pause();
	const struct child_handlers handlers = {.stop = on_stop, .userdata = &f};
	sd_event_source *timer = NULL;
	if (sd_event_new(&f.loop) < 0 ||
	    child_attach(&f.child, f.loop, f.name, &handlers, &e) < 0 ||
	    sd_event_add_time_relative(f.loop, &timer, CLOCK_MONOTONIC, 0, 1, on_poll, &f) < 0 ||
	    sd_event_source_set_enabled(timer, SD_EVENT_ON) < 0)
		fatal("%s", e.msg);
	const char *fd = getenv("KRUISED_FD_webhook");
	if (fd && sd_event_add_io(f.loop, NULL, atoi(fd), EPOLLIN, on_accept, &f) < 0)
		fatal("cannot listen");
	int rc = sd_event_loop(f.loop);
	sd_event_source_disable_unref(timer);
	child_detach(f.child);
	sd_event_unref(f.loop);
	return rc < 0 ? 1 : rc;
}
