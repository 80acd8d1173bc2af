/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/resource.h"

#include <string.h>

#define CORE(name, plural_, kind_, namespaced_) \
	const struct k8s_resource name = {"", "v1", plural_, kind_, namespaced_}

CORE(K8S_PODS, "pods", "Pod", true);
CORE(K8S_NODES, "nodes", "Node", false);
CORE(K8S_EVENTS, "events", "Event", true);
CORE(K8S_SECRETS, "secrets", "Secret", true);
CORE(K8S_CONFIGMAPS, "configmaps", "ConfigMap", true);
CORE(K8S_NAMESPACES, "namespaces", "Namespace", false);
CORE(K8S_PVCS, "persistentvolumeclaims", "PersistentVolumeClaim", true);
CORE(K8S_SERVICES, "services", "Service", true);
const struct k8s_resource K8S_CONTROLLERREVISIONS = {"apps", "v1", "controllerrevisions",
						     "ControllerRevision", true};
const struct k8s_resource K8S_LEASES = {"coordination.k8s.io", "v1", "leases", "Lease", true};
const struct k8s_resource K8S_CRDS = {"apiextensions.k8s.io", "v1", "customresourcedefinitions",
				      "CustomResourceDefinition", false};
const struct k8s_resource K8S_MUTATING_WEBHOOKS = {"admissionregistration.k8s.io", "v1",
						   "mutatingwebhookconfigurations",
						   "MutatingWebhookConfiguration", false};
const struct k8s_resource K8S_VALIDATING_WEBHOOKS = {"admissionregistration.k8s.io", "v1",
						     "validatingwebhookconfigurations",
						     "ValidatingWebhookConfiguration", false};
const struct k8s_resource K8S_CLONESETS = {"apps.kruise.io", "v1beta1", "clonesets", "CloneSet",
					   true};
const struct k8s_resource K8S_CLONESETS_V1ALPHA1 = {"apps.kruise.io", "v1alpha1", "clonesets",
						    "CloneSet", true};
const struct k8s_resource K8S_IMAGEPULLJOBS = {"apps.kruise.io", "v1alpha1", "imagepulljobs",
					       "ImagePullJob", true};

static const struct {
	const struct k8s_resource *resource;
	const char *key;
} keys[] = {
    {&K8S_PODS, "pods"},
    {&K8S_NODES, "nodes"},
    {&K8S_EVENTS, "events"},
    {&K8S_SECRETS, "secrets"},
    {&K8S_CONFIGMAPS, "configmaps"},
    {&K8S_NAMESPACES, "namespaces"},
    {&K8S_PVCS, "persistentvolumeclaims"},
    {&K8S_SERVICES, "services"},
    {&K8S_CONTROLLERREVISIONS, "apps/controllerrevisions"},
    {&K8S_LEASES, "coordination.k8s.io/leases"},
    {&K8S_CRDS, "apiextensions.k8s.io/customresourcedefinitions"},
    {&K8S_MUTATING_WEBHOOKS, "admissionregistration.k8s.io/mutatingwebhookconfigurations"},
    {&K8S_VALIDATING_WEBHOOKS, "admissionregistration.k8s.io/validatingwebhookconfigurations"},
    {&K8S_CLONESETS, "apps.kruise.io/clonesets"},
    {&K8S_IMAGEPULLJOBS, "apps.kruise.io/imagepulljobs"},
};

const char *k8s_resource_key(const struct k8s_resource *r)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct k8s_resource *known = keys[i].resource;
		if (known == r ||
		    (strcmp(known->group, r->group) == 0 && strcmp(known->plural, r->plural) == 0))
			return keys[i].key;
	}
	return r->plural;
}

/* A path segment: everything but RFC 3986's unreserved characters is escaped, '/' above all. */
static void put_segment(struct buf *b, const char *s)
{
	static const char hex[] = "0123456789ABCDEF";
	buf_putc(b, '/');
	/* "." and ".." would be resolved away by URL parsers */
	bool dots = strcmp(s, ".") == 0 || strcmp(s, "..") == 0;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '~' ||
			     (c == '.' && !dots);
		if (plain) {
			buf_putc(b, (char)c);
			continue;
		}
		buf_putc(b, '%');
		buf_putc(b, hex[c >> 4]);
		buf_putc(b, hex[c & 15]);
	}
}

void k8s_path(struct buf *b, const struct k8s_resource *r, const char *ns, const char *name,
	      const char *sub)
{
	if (*r->group) {
		buf_puts(b, "/apis");
		put_segment(b, r->group);
	} else {
		buf_puts(b, "/api");
	}
	put_segment(b, r->version);
	if (r->namespaced && ns && *ns) {
		buf_puts(b, "/namespaces");
		put_segment(b, ns);
	}
	put_segment(b, r->plural);
	if (name && *name)
		put_segment(b, name);
	/* "status", or "proxy/some/path": its slashes are part of the path */
	while (sub && *sub) {
		size_t n = strcspn(sub, "/");
		_cleanup_free_ char *part = xstrndup(sub, n);
		put_segment(b, part);
		sub += n;
		sub += *sub == '/';
	}
}

void k8s_api_version(struct buf *b, const struct k8s_resource *r)
{
	if (*r->group) {
		buf_puts(b, r->group);
		buf_putc(b, '/');
	}
	buf_puts(b, r->version);
}
