/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/nodeobj.h"

#include "kube/time.h"

#define LEASE_SECONDS 40

static val text(const char *s)
{
	return val_of_str(s);
}

static val condition(arena *a, const char *type, const char *status, const char *reason)
{
	const val now = k8s_time_val(a, k8s_now());
	val c = val_map();
	val_set(a, &c, "type", text(type));
	val_set(a, &c, "status", text(status));
	val_set(a, &c, "reason", text(reason));
	val_set(a, &c, "message", text("simulated"));
	val_set(a, &c, "lastHeartbeatTime", now);
	val_set(a, &c, "lastTransitionTime", now);
	return c;
}

static val status(arena *a, const struct node_facts *f)
{
	val s = val_map(), capacity = val_map(), addresses = val_array(), conditions = val_array();
	val address = val_map(), info = val_map();
	val_set(a, &capacity, "cpu", text("1000"));
	val_set(a, &capacity, "memory", text("4Ti"));
	val_set(a, &capacity, "ephemeral-storage", text("4Ti"));
	val_set(a, &capacity, "pods", text(arena_printf(a, "%u", f->pods)));
	val_set(a, &s, "capacity", capacity);
	val_set(a, &s, "allocatable", val_copy(a, &capacity));

	val_push(a, &conditions, condition(a, "MemoryPressure", "False", "Enough"));
	val_push(a, &conditions, condition(a, "DiskPressure", "False", "Enough"));
	val_push(a, &conditions, condition(a, "PIDPressure", "False", "Enough"));
	val_push(a, &conditions, condition(a, "Ready", "True", "KubeletReady"));
	val_set(a, &s, "conditions", conditions);

	val_set(a, &address, "type", text("InternalIP"));
	val_set(a, &address, "address", text(f->ip));
	val_push(a, &addresses, address);
	val_set(a, &s, "addresses", addresses);

	val_set(a, &info, "kubeletVersion", text("v1.20.2-sim"));
	val_set(a, &info, "operatingSystem", text("linux"));
	val_set(a, &info, "architecture", text("amd64"));
	val_set(a, &info, "containerRuntimeVersion", text("sim://1"));
	val_set(a, &info, "machineID", text(f->name));
	val_set(a, &info, "systemUUID", text(f->name));
	val_set(a, &info, "bootID", text(f->name));
	val_set(a, &info, "kernelVersion", text("sim"));
	val_set(a, &info, "osImage", text("sim"));
	val_set(a, &info, "kubeProxyVersion", text("v1.20.2-sim"));
	val_set(a, &s, "nodeInfo", info);
	return s;
}

val node_object(arena *a, const struct node_facts *f)
{
	val node = val_map(), labels = val_map();
	val_set(a, &node, "apiVersion", text("v1"));
	val_set(a, &node, "kind", text("Node"));
	val *meta = val_ensure_map(a, &node, "metadata");
	val_set(a, meta, "name", text(f->name));
	val_set(a, &labels, "kubernetes.io/hostname", text(f->name));
	val_set(a, &labels, "kubernetes.io/os", text("linux"));
	val_set(a, &labels, "kubernetes.io/arch", text("amd64"));
	val_set(a, &labels, "topology.kubernetes.io/zone",
		text(arena_printf(a, "zone-%u", f->index % 3)));
	val_set(a, &labels, NODE_LABEL, text("true"));
	val_set(a, meta, "labels", labels);
	val_set(a, &node, "status", status(a, f));
	return node;
}

val node_status_patch(arena *a, const struct node_facts *f)
{
	val patch = val_map();
	val_set(a, &patch, "status", status(a, f));
	return patch;
}

val node_untaint_patch(arena *a)
{
	val patch = val_map();
	val_set(a, val_ensure_map(a, &patch, "spec"), "taints", val_null());
	return patch;
}

static val renew_time(arena *a)
{
	return k8s_microtime_val(a, k8s_now_usec());
}

val node_lease(arena *a, const struct node_facts *f)
{
	val lease = val_map();
	val_set(a, &lease, "apiVersion", text("coordination.k8s.io/v1"));
	val_set(a, &lease, "kind", text("Lease"));
	val_set(a, val_ensure_map(a, &lease, "metadata"), "name", text(f->name));
	val *spec = val_ensure_map(a, &lease, "spec");
	val_set(a, spec, "holderIdentity", text(f->name));
	val_set(a, spec, "leaseDurationSeconds", val_of_int(LEASE_SECONDS));
	val_set(a, spec, "renewTime", renew_time(a));
	return lease;
}

val node_renewal(arena *a)
{
	val patch = val_map();
	val_set(a, val_ensure_map(a, &patch, "spec"), "renewTime", renew_time(a));
	return patch;
}
