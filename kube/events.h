/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_EVENTS_H
#define KUBE_EVENTS_H

#include "kube/rest.h"

#include <systemd/sd-event.h>

/*
 * Records v1 Events about objects: asynchronously, never blocking, in bounded memory. An event that
 * was seen before (same object, type, reason, message) becomes count + 1 of the one that exists;
 * more than 10 similar ones (same object, type and reason; other messages) within 10 minutes are
 * combined into one; an object gets at most 25 in a row, then one per 5 minutes. What cannot be
 * written is dropped with a debug log: events are for people, nothing may depend on them.
 */
struct k8s_recorder;

/* component is source.component, copied. client and loop must outlive the recorder. */
struct k8s_recorder *k8s_recorder_new(struct k8s_client *client, sd_event *loop,
				      const char *component);
void k8s_recorder_free(struct k8s_recorder *r); /* events under way are abandoned */

/* What an event is about. Absent strings are left out of the event. */
struct k8s_object_ref {
	const struct k8s_resource *resource; /* gives apiVersion and kind */
	struct str ns;			     /* absent or empty: cluster-scoped */
	struct str name;
	struct str uid;
	struct str resource_version;
	struct str field_path; /* "spec.containers{main}" */
};

/* Of an object as the API has it; points into it. */
struct k8s_object_ref k8s_object_ref_of(const struct k8s_resource *r, const val *object);

#define K8S_EVENT_NORMAL "Normal"
#define K8S_EVENT_WARNING "Warning"

/* Everything is copied. The message is cut at 1024 bytes (at a character), as the API server
 * demands.
 */
void k8s_event(struct k8s_recorder *r, const struct k8s_object_ref *ref, const char *type,
	       const char *reason, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

struct k8s_recorder_stats {
	uint64_t created, updated; /* answered with success */
	uint64_t combined;	   /* turned into a combined event */
	uint64_t suppressed;	   /* by the object's limit */
	uint64_t dropped;	   /* refused by the API server, unreachable, or too many waiting */
};
struct k8s_recorder_stats k8s_recorder_get_stats(const struct k8s_recorder *r);

#endif
