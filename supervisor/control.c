/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#define FRAMES_PER_TURN 512
#define LOG_BAD_EVERY_USEC 10000000u

struct frame {
	uint8_t p[CONTROL_MAX];
	size_t n; /* of the whole; more than CONTROL_MAX when it was cut */
	bool more;
};

/* False when there is nothing to read. */
static bool receive(void *socket, struct frame *f)
{
	int n = zmq_recv(socket, f->p, sizeof(f->p), ZMQ_DONTWAIT);
	if (n < 0)
		return false;
	int more = 0;
	size_t size = sizeof(more);
	zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
	f->n = (size_t)n;
	f->more = more != 0;
	return true;
}

static void complain(struct supervisor *s, const char *what)
{
	uint64_t now = now_usec();
	s->bad_messages++;
	if (s->bad_logged_usec != 0 && now < s->bad_logged_usec + LOG_BAD_EVERY_USEC)
		return;
	s->bad_logged_usec = now;
	log_warn("control channel: %s (%llu refused so far)", what,
		 (unsigned long long)s->bad_messages);
}

/* Takes the same time whatever differs. */
static bool token_is(const struct service *v, struct str token)
{
	if (v->pid <= 0 || token.n != sizeof(v->token) - 1)
		return false;
	unsigned char diff = 0;
	for (size_t i = 0; i < token.n; i++)
		diff |= (unsigned char)(token.p[i] ^ v->token[i]);
	return diff == 0;
}

static struct service *find_token(struct supervisor *s, struct str token)
{
	for (size_t i = 0; i < s->n_services; i++)
		if (token_is(&s->services[i], token))
			return &s->services[i];
	return NULL;
}

static void send_log_level(struct supervisor *s, const struct service *v)
{
	if (!*s->log_level)
		return;
	const struct control_msg m = {.type = CONTROL_LOG_LEVEL, .level = str_of(s->log_level)};
	control_send(s, v, &m);
}

static void send_leadership(struct supervisor *s, const struct service *v)
{
	const struct control_msg m = {.type = CONTROL_LEADER_UNTIL,
				      .until_usec = s->leadership.until_usec};
	if (v->def->flags & SERVICE_LEADER_ONLY)
		control_send(s, v, &m);
}

/* A beat does what a hello does when that was lost. */
static void greet(struct supervisor *s, struct service *v, const struct frame *identity)
{
	bool first = v->identity_len == 0;
	memcpy(v->identity, identity->p, identity->n);
	v->identity_len = identity->n;
	v->beat_usec = now_usec();
	if (v->state == SERVICE_STARTING) {
		v->state = SERVICE_RUNNING;
		log_debug("%s: said hello after %llu ms", v->def->name,
			  (unsigned long long)(v->beat_usec - v->started_usec) / 1000);
	}
	if (!first)
		return;
	send_log_level(s, v);
	send_leadership(s, v);
	if (v->def->flags & SERVICE_ELECTOR)
		s->told_workers = -1;
	if (v->state == SERVICE_STOPPING) /* the stop came before it could hear it */
		control_send(s, v, &(struct control_msg){.type = CONTROL_STOP});
}

static void set_ready(struct supervisor *s, struct service *v, bool ready)
{
	if (v->ready == ready)
		return;
	v->ready = ready;
	log_info("%s: %s%s%s", v->def->name, ready ? "ready" : "not ready", *v->note ? ": " : "",
		 v->note);
	if (ready && (v->def->flags & SERVICE_CONFIG))
		s->configured = true;
}

static void take_beat(struct supervisor *s, struct service *v, const struct control_beat *beat)
{
	snprintf(v->note, sizeof(v->note), "%.*s", STR_ARG(beat->note));
	set_ready(s, v, beat->ready);
	if (!(v->def->flags & SERVICE_ELECTOR))
		return;
	uint64_t now = now_usec();
	bool before = leadership_certain(&s->leadership, now);
	const uint64_t until = s->leadership.until_usec;
	leadership_beat(&s->leadership, beat->leader_until_usec);
	bool after = leadership_certain(&s->leadership, now);
	for (size_t i = 0; s->leadership.until_usec != until && i < s->n_services; i++)
		send_leadership(s, &s->services[i]);
	if (before != after)
		log_info("leadership %s", after ? "won" : "lost");
}

static void handle(struct supervisor *s, const struct frame *identity, const struct frame *body)
{
	struct control_msg m;
	struct err e = {0};
	if (body->n > sizeof(body->p) || identity->n == 0 ||
	    identity->n > sizeof(((struct service *)0)->identity)) {
		complain(s, "a message with a frame of impossible size");
		return;
	}
	if (control_unpack(body->p, body->n, &m, &e) < 0) {
		complain(s, e.msg);
		return;
	}
	if (m.type != CONTROL_HELLO && m.type != CONTROL_BEAT) {
		complain(s, "a message that only the supervisor may send");
		return;
	}
	struct service *v = find_token(s, m.type == CONTROL_HELLO ? m.hello.token : m.beat.token);
	if (!v) {
		/* also a child's last beat that its death has overtaken */
		complain(s, "a message with an unknown token");
		return;
	}
	greet(s, v, identity);
	if (m.type == CONTROL_BEAT)
		take_beat(s, v, &m.beat);
}

void control_drain(struct supervisor *s)
{
	zloop_touched(s->zloop);
	struct frame identity, body;
	for (int budget = FRAMES_PER_TURN; budget > 0; budget -= 2) {
		if (!receive(s->router, &identity))
			return;
		if (s->skipping) { /* the rest of a message of too many frames */
			s->skipping = identity.more;
			continue;
		}
		if (!identity.more || !receive(s->router, &body)) {
			complain(s, "a message of one frame");
			continue;
		}
		if (body.more) {
			s->skipping = true;
			complain(s, "a message of too many frames");
			continue;
		}
		handle(s, &identity, &body);
	}
}

static void on_readable(void *socket, void *userdata)
{
	(void)socket;
	control_drain(userdata);
}

int control_send(struct supervisor *s, const struct service *v, const struct control_msg *m)
{
	if (v->pid <= 0 || v->identity_len == 0)
		return -ENOTCONN;
	_cleanup_buf_ struct buf b = {0};
	control_pack(&b, m);
	zloop_touched(s->zloop);
	if (zmq_send(s->router, v->identity, v->identity_len, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
		return -errno;
	if (zmq_send(s->router, b.p, b.len, ZMQ_DONTWAIT) < 0)
		return -errno;
	return 0;
}

int control_open(struct supervisor *s, struct err *e)
{
	const char *dir = s->options.runtime_dir;
	s->control_endpoint = xasprintf("ipc://%s/control", dir);
	int r = zsock_new(&s->zmq_ctx, &s->router, ZMQ_ROUTER, e);
	if (r < 0)
		return r;
	/* Sending to a child that is gone fails at once, instead of being dropped in silence. */
	zsock_option(s->router, ZMQ_ROUTER_MANDATORY, 1);
	zsock_option(s->router, ZMQ_RCVHWM, 1000);
	zsock_option(s->router, ZMQ_SNDHWM, 1000);
	const int64_t max = CONTROL_MAX;
	if (zmq_setsockopt(s->router, ZMQ_MAXMSGSIZE, &max, sizeof(max)) != 0)
		return err_set(e, errno, "ZMQ_MAXMSGSIZE: %s", zmq_strerror(errno));
	if (zmq_bind(s->router, s->control_endpoint) != 0)
		return err_set(e, errno, "%s: %s", s->control_endpoint, zmq_strerror(errno));
	_cleanup_free_ char *path = xasprintf("%s/control", dir);
	if (s->drop_user && lchown(path, s->uid, s->gid) < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	return zloop_add(&s->zloop, s->loop, s->router, on_readable, s, e);
}

void control_close(struct supervisor *s)
{
	zloop_remove(s->zloop);
	zsock_free(s->zmq_ctx, s->router);
}
