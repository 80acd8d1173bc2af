/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/podtemplate.h"
#include "tests/unit/cases.h"

/* {"spec":…} with one container `fragment` adds to. */
static val with_container(arena *a, const char *fragment)
{
	return js(a, arena_printf(
			 a,
			 "{'spec':{'containers':[{'name':'m','image':'i'%s%s}],'volumes':[{'name':"
			 "'v','emptyDir':{}},{'name':'p','persistentVolumeClaim':{'claimName':'c'"
			 "}}]}}",
			 fragment[0] ? "," : "", fragment));
}

static val with_spec(arena *a, const char *fragment)
{
	return js(
	    a, arena_printf(a, "{'spec':{'containers':[{'name':'m','image':'i'}],%s}}", fragment));
}

/* The errors as `path: type`, without the prefix `spec.template.spec.`. */
static char *errors_of(arena *a, const val *template)
{
	static const char prefix[] = "spec.template.spec.";
	struct fpath spec = fpath_root("spec"), path = fpath_child(&spec, "template");
	const struct str extra[] = {str_of("claim")};
	_cleanup_buf_ struct buf b = {0};
	struct field_errors fe;

	field_errors_init(&fe, a);
	podtemplate_validate(a, template, &path, extra, 1, &fe);
	for (size_t i = 0; i < fe.n; i++) {
		const char *p = fe.v[i].path;

		if (strncmp(p, prefix, strlen(prefix)) == 0)
			p += strlen(prefix);
		buf_printf(&b, "%s%s: %s", i ? ", " : "", p, field_error_type_name(fe.v[i].type));
	}
	return arena_strndup(a, buf_str(&b), b.len);
}

struct row {
	const char *fragment, *want;
};

static void run(val (*make)(arena *a, const char *fragment), const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = make(a, rows[i].fragment);

		assert_string_equal(errors_of(a, &v), rows[i].want);
	}
}

#define C0 "containers[0]."
#define INVALID ": Invalid value"
#define REQUIRED ": Required value"
#define DUPLICATE ": Duplicate value"
#define FORBIDDEN ": Forbidden"
#define NOT_SUPPORTED ": Unsupported value"

static void containers(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"", ""},
	    {"'imagePullPolicy':'Sometimes'", C0 "imagePullPolicy" NOT_SUPPORTED},
	    {"'terminationMessagePolicy':'x'", C0 "terminationMessagePolicy" INVALID},
	    {"'ports':[{}]", C0 "ports[0].containerPort" REQUIRED},
	    {"'ports':[{'containerPort':1,'hostPort':65536}]", C0 "ports[0].hostPort" INVALID},
	    {"'ports':[{'containerPort':1,'protocol':'tcp'}]",
	     C0 "ports[0].protocol" NOT_SUPPORTED},
	    {"'ports':[{'containerPort':1,'name':'a'},{'containerPort':2,'name':'a'}]",
	     C0 "ports[1].name" DUPLICATE},
	    {"'ports':[{'containerPort':1,'name':'A'}]", C0 "ports[0].name" INVALID},
	    {"'ports':[{'containerPort':1,'hostPort':5},{'containerPort':2,'hostPort':5}]",
	     C0 "ports[1].hostPort" DUPLICATE},
	    {"'ports':[{'containerPort':1,'hostPort':5},{'containerPort':2,'hostPort':5,'protocol':"
	     "'UDP'}]",
	     ""},
	    {"'env':[{'name':'A'},{'name':'A'}]", ""},
	    {"'env':[{}]", C0 "env[0].name" REQUIRED},
	    {"'env':[{'name':'A','valueFrom':{}}]", C0 "env[0].valueFrom" INVALID},
	    {"'env':[{'name':'A','value':'x','valueFrom':{'fieldRef':{'fieldPath':'metadata.name'}}"
	     "}]",
	     C0 "env[0].valueFrom" INVALID},
	    {"'env':[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'metadata.labels'}}}]",
	     C0 "env[0].valueFrom.fieldRef.fieldPath" NOT_SUPPORTED},
	    {"'env':[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'spec.foo'}}}]",
	     C0 "env[0].valueFrom.fieldRef.fieldPath" INVALID},
	    {"'env':[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'metadata.labels["
	     "\\u0027x\\u0027]'}}}]",
	     ""},
	    {"'env':[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v2','fieldPath':'metadata."
	     "name'}}}]",
	     C0 "env[0].valueFrom.fieldRef.apiVersion" INVALID},
	    {"'env':[{'name':'A','valueFrom':{'resourceFieldRef':{'resource':'limits.disk'}}}]",
	     C0 "env[0].valueFrom.resourceFieldRef.resource" NOT_SUPPORTED},
	    {"'env':[{'name':'A','valueFrom':{'resourceFieldRef':{'resource':'limits.cpu','divisor'"
	     ":'1Mi'}}}]",
	     C0 "env[0].valueFrom.resourceFieldRef.divisor" INVALID},
	    {"'env':[{'name':'A','valueFrom':{'secretKeyRef':{'name':'s'}}}]",
	     C0 "env[0].valueFrom.secretKeyRef.key" REQUIRED},
	    {"'envFrom':[{}]", C0 "envFrom[0]" INVALID},
	    {"'envFrom':[{'configMapRef':{'name':'c'},'secretRef':{'name':'s'}}]",
	     C0 "envFrom[0]" INVALID},
	    {"'resources':{'requests':{'cpu':'2'},'limits':{'cpu':'1'}}",
	     C0 "resources.requests" INVALID},
	    {"'resources':{'limits':{'cpu':'-1'}}", C0 "resources.limits[cpu]" INVALID},
	    {"'resources':{'limits':{'gpu':'1'}}", C0 "resources.limits[gpu]" INVALID},
	    {"'resources':{'limits':{'x.io/gpu':'1500m'}}",
	     C0 "resources.limits[x.io/gpu]" INVALID},
	    {"'resources':{'requests':{'x.io/gpu':'1'}}", C0 "resources.limits" REQUIRED},
	    {"'resources':{'limits':{'hugepages-2Mi':'4Mi'}}", C0 "resources" FORBIDDEN},
	    {"'volumeMounts':[{'name':'v','mountPath':'/a'},{'name':'claim','mountPath':'/b'}]",
	     ""},
	    {"'volumeMounts':[{'name':'v','mountPath':'/a'},{'name':'v','mountPath':'/a'}]",
	     C0 "volumeMounts[1].mountPath" INVALID},
	    {"'volumeMounts':[{'name':'x','mountPath':'/a'}]",
	     C0 "volumeMounts[0].name: Not found"},
	    {"'volumeMounts':[{'name':'v'}]", C0 "volumeMounts[0].mountPath" REQUIRED},
	    {"'volumeMounts':[{'name':'v','mountPath':'/a','subPath':'a/../b'}]",
	     C0 "volumeMounts[0].subPath" INVALID},
	    {"'volumeMounts':[{'name':'v','mountPath':'/a','mountPropagation':'Bidirectional'}]",
	     C0 "volumeMounts[0].mountPropagation" FORBIDDEN},
	    {"'volumeDevices':[{'name':'p','devicePath':'/d'},{'name':'claim','devicePath':'/e'}]",
	     ""},
	    {"'volumeDevices':[{'name':'v','devicePath':'/d'}]",
	     C0 "volumeDevices[0].name" INVALID},
	    {"'livenessProbe':{}", C0 "livenessProbe" REQUIRED},
	    {"'livenessProbe':{'exec':{'command':['a']},'tcpSocket':{'port':1}}",
	     C0 "livenessProbe.tcpSocket" FORBIDDEN},
	    {"'livenessProbe':{'exec':{}}", C0 "livenessProbe.exec.command" REQUIRED},
	    {"'livenessProbe':{'tcpSocket':{'port':0}}", C0 "livenessProbe.tcpSocket.port" INVALID},
	    {"'livenessProbe':{'tcpSocket':{'port':1},'successThreshold':2}",
	     C0 "livenessProbe.successThreshold" INVALID},
	    {"'readinessProbe':{'tcpSocket':{'port':1},'successThreshold':2}", ""},
	    {"'readinessProbe':{'tcpSocket':{'port':1},'periodSeconds':-1}",
	     C0 "readinessProbe.periodSeconds" INVALID},
	    {"'startupProbe':{'httpGet':{'port':'HTTP','scheme':'ftp'}}",
	     C0 "startupProbe.httpGet.port" INVALID ", " C0
		"startupProbe.httpGet.scheme" NOT_SUPPORTED},
	    {"'livenessProbe':{'grpc':{'port':5}}", ""},
	    {"'lifecycle':{'preStop':{}}", C0 "lifecycle.preStop" REQUIRED},
	    {"'securityContext':{'privileged':true,'allowPrivilegeEscalation':false}",
	     C0 "securityContext" INVALID},
	    {"'securityContext':{'runAsUser':-1}", C0 "securityContext.runAsUser" INVALID},
	    {"'securityContext':{'seccompProfile':{'type':'Localhost'}}",
	     C0 "securityContext.seccompProfile.localhostProfile" REQUIRED},
	    /* types */
	    {"'ports':[{'containerPort':'80'}]", C0 "ports[0].containerPort" INVALID},
	    {"'env':'x'", C0 "env" INVALID},
	    {"'stdin':'yes'", C0 "stdin" INVALID},
	    {"'args':[1]", C0 "args[0]" INVALID},
	    {"'resources':{'limits':{'cpu':[]}}", C0 "resources.limits[cpu]" INVALID},
	    {"'unknown':{'x':1}", ""},
	};
	run(with_container, rows, sizeof(rows) / sizeof(rows[0]));
}

static void spec(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"'restartPolicy':'x'", "restartPolicy" NOT_SUPPORTED},
	    {"'dnsPolicy':'x'", "dnsPolicy" NOT_SUPPORTED},
	    {"'dnsPolicy':'None'", "dnsConfig" REQUIRED},
	    {"'dnsConfig':{'nameservers':['x'],'searches':['A'],'options':[{}]}",
	     "dnsConfig.nameservers[0]" INVALID ", dnsConfig.searches[0]" INVALID
	     ", dnsConfig.options[0]" REQUIRED},
	    {"'serviceAccountName':'A'", "serviceAccountName" INVALID},
	    {"'hostname':'a.b'", "hostname" INVALID},
	    {"'runtimeClassName':''", "runtimeClassName" REQUIRED},
	    {"'activeDeadlineSeconds':0", "activeDeadlineSeconds" INVALID},
	    {"'nodeSelector':{'a b':'c'}", "nodeSelector" INVALID},
	    {"'hostAliases':[{'ip':'x','hostnames':['A']}]",
	     "hostAliases[0].ip" INVALID ", hostAliases[0].hostnames[0]" INVALID},
	    {"'readinessGates':[{'conditionType':''}]", "readinessGates[0].conditionType" INVALID},
	    {"'initContainers':[{'name':'m','image':'x'}]", "initContainers[0].name" DUPLICATE},
	    {"'initContainers':[{'name':'i','image':'x','livenessProbe':{'tcpSocket':{'port':1}}}]",
	     "initContainers[0].livenessProbe" INVALID},
	    {"'initContainers':[{'name':'i','image':'x','restartPolicy':'Always','livenessProbe':{'"
	     "tcpSocket'"
	     ":{'port':1}}}]",
	     ""},
	    {"'ephemeralContainers':[{'name':'e','image':'x'}]", "ephemeralContainers" FORBIDDEN},
	    {"'hostPID':true,'shareProcessNamespace':true", "shareProcessNamespace" INVALID},
	    {"'securityContext':{'sysctls':[{'name':'a.b','value':''},{'name':'a.b','value':''},{'"
	     "name':'-'"
	     ",'value':''}]}",
	     "securityContext.sysctls[1].name" DUPLICATE
	     ", securityContext.sysctls[2].name" INVALID},
	    {"'tolerations':[{'operator':'Equal'}]", "tolerations[0].operator" INVALID},
	    {"'tolerations':[{'operator':'Exists','value':'x'}]",
	     "tolerations[0].operator" INVALID},
	    {"'tolerations':[{'key':'a','tolerationSeconds':1}]", "tolerations[0].effect" INVALID},
	    {"'tolerations':[{'key':'a','effect':'x'}]", "tolerations[0].effect" NOT_SUPPORTED},
	    {"'topologySpreadConstraints':[{'maxSkew':0,'topologyKey':'','whenUnsatisfiable':''}]",
	     "topologySpreadConstraints[0].maxSkew" INVALID
	     ", topologySpreadConstraints[0].topologyKey" REQUIRED
	     ", topologySpreadConstraints[0].whenUnsatisfiable" NOT_SUPPORTED},
	    {"'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'"
	     "nodeSelectorTerms"
	     "':[]}}}",
	     "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
	     "nodeSelectorTerms" REQUIRED},
	    {"'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'"
	     "weight':0,"
	     "'podAffinityTerm':{'topologyKey':'k'}}]}}",
	     "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
	     "weight" INVALID},
	    {"'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{}]}"
	     "}",
	     "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
	     "topologyKey" REQUIRED},
	    {"'overhead':{'cpu':'-1'}", "overhead[cpu]" INVALID},
	};
	run(with_spec, rows, sizeof(rows) / sizeof(rows[0]));
}

static void volumes(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"'volumes':[{'name':'a'}]", ""},
	    {"'volumes':[{'name':'a','fromTheFuture':{}}]", ""},
	    {"'volumes':[{'name':'A','emptyDir':{}}]", "volumes[0].name" INVALID},
	    {"'volumes':[{'emptyDir':{}}]", "volumes[0].name" REQUIRED},
	    {"'volumes':[{'name':'a'},{'name':'a'}]", "volumes[1].name" DUPLICATE},
	    {"'volumes':[{'name':'a','emptyDir':{},'hostPath':{'path':'/x'}}]",
	     "volumes[0].hostPath" FORBIDDEN},
	    {"'volumes':[{'name':'a','hostPath':{}}]", "volumes[0].hostPath.path" REQUIRED},
	    {"'volumes':[{'name':'a','hostPath':{'path':'/../x','type':'Disk'}}]",
	     "volumes[0].hostPath.path" INVALID ", volumes[0].hostPath.type" NOT_SUPPORTED},
	    {"'volumes':[{'name':'a','configMap':{'defaultMode':512}}]",
	     "volumes[0].configMap.name" REQUIRED ", volumes[0].configMap.defaultMode" INVALID},
	    {"'volumes':[{'name':'a','secret':{'secretName':'s','items':[{'key':'k','path':'/"
	     "x'}]}}]",
	     "volumes[0].secret.items[0].path" INVALID},
	    {"'volumes':[{'name':'a','nfs':{'server':'s','path':'x'}}]",
	     "volumes[0].nfs.path" INVALID},
	    {"'volumes':[{'name':'a','downwardAPI':{'items':[{'path':'p'}]}}]",
	     "volumes[0].downwardAPI.items[0]" REQUIRED},
	    {"'volumes':[{'name':'a','projected':{'sources':[{'secret':{'name':'s','items':[{'key':"
	     "'k','path'"
	     ":'p'}]},'configMap':{'name':'c','items':[{'key':'k','path':'p'}]}}]}}]",
	     "volumes[0].projected.sources[0].configMap.items[0].path" INVALID
	     ", volumes[0].projected.sources[0]" FORBIDDEN},
	    {"'volumes':[{'name':'a','csi':{}}]", "volumes[0].csi.driver" REQUIRED},
	    {"'volumes':[{'name':'a','ephemeral':{'volumeClaimTemplate':{'spec':{}}}}]",
	     "volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes" REQUIRED
	     ", volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]" REQUIRED},
	    {"'volumes':[{'name':'a','persistentVolumeClaim':{}}]",
	     "volumes[0].persistentVolumeClaim.claimName" REQUIRED},
	};
	run(with_spec, rows, sizeof(rows) / sizeof(rows[0]));
}

static void whole_template(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"null", "containers: Required value"},
	    {"{'spec':{'containers':[]}}", "containers: Required value"},
	    {"7", "spec.template: Invalid value"},
	    {"{'metadata':{'labels':{'a "
	     "b':'c','d':'-'}},'spec':{'containers':[{'name':'m','image':'i'}]}}",
	     "spec.template.metadata.labels: Invalid value, spec.template.metadata.labels: Invalid "
	     "value"},
	    {"{'spec':{'hostNetwork':true,'containers':[{'name':'m','image':'i','ports':[{'"
	     "containerPort':1,"
	     "'hostPort':2}]}]}}",
	     "containers[0].ports[0].containerPort: Invalid value"},
	    {"{'spec':{'containers':[{'name':'m','image':'i'},{'name':'m'}]}}",
	     "containers[1].image: Required value, containers[1].name: Duplicate value"},
	};
	run(js, rows, sizeof(rows) / sizeof(rows[0]));
}

static void annotations_have_a_limit(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val v = js(a, "{'metadata':{'annotations':{'a':''}},'spec':{'containers':[{'name':'m','"
		      "image':'i'}]}}");
	char *big = arena_alloc(a, 262144 + 1);

	memset(big, 'x', 262144);
	big[262144] = '\0';
	val_set(a, val_path_mut(&v, "metadata", "annotations", NULL), "a", val_of_str(big + 1));
	assert_string_equal(errors_of(a, &v), "");
	val_set(a, val_path_mut(&v, "metadata", "annotations", NULL), "a", val_of_str(big));
	assert_string_equal(errors_of(a, &v), "spec.template.metadata.annotations: Too long");
}

/* The form of Go's encoding: in, canonical. */
static void canonical(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} rows[] = {
	    {"{}", "{\"metadata\":{\"creationTimestamp\":null},\"spec\":{\"containers\":null}}"},
	    {"{'metadata':{'labels':{},'name':''},'spec':{'containers':[{'stdin':false,'command':[]"
	     ",'env':[{"
	     "'name':'E','value':''}],'ports':[{'hostPort':0}],'securityContext':{'privileged':"
	     "false,"
	     "'capabilities':{}},'livenessProbe':{'httpGet':{},'periodSeconds':0},'new':0}],'"
	     "hostNetwork':"
	     "false,'tolerations':[],'affinity':{},'volumes':[{'emptyDir':{'sizeLimit':'1024Mi'}},{"
	     "'iscsi':"
	     "{}}],'overhead':{'cpu':'0.1'},'terminationGracePeriodSeconds':0}}",
	     "{\"metadata\":{\"creationTimestamp\":null},\"spec\":{\"affinity\":{},\"containers\":["
	     "{\"env\":[{"
	     "\"name\":\"E\"}],\"livenessProbe\":{\"httpGet\":{\"port\":0}},\"name\":\"\",\"new\":"
	     "0,\"ports\":["
	     "{\"containerPort\":0}],\"resources\":{},\"securityContext\":{\"capabilities\":{},"
	     "\"privileged\":"
	     "false}}],\"overhead\":{\"cpu\":\"100m\"},\"terminationGracePeriodSeconds\":0,"
	     "\"volumes\":[{"
	     "\"emptyDir\":{\"sizeLimit\":\"1Gi\"},\"name\":\"\"},{\"iscsi\":{\"iqn\":\"\",\"lun\":"
	     "0,"
	     "\"targetPortal\":\"\"},\"name\":\"\"}]}}"},
	    {"{'spec':{'containers':[{'args':[null,'x'],'resources':{'limits':{'cpu':null}},'env':["
	     "{'name':"
	     "null,'valueFrom':{'resourceFieldRef':{'resource':'r'}}}]},null],'"
	     "activeDeadlineSeconds':5.0}}",
	     "{\"metadata\":{\"creationTimestamp\":null},\"spec\":{\"activeDeadlineSeconds\":5,"
	     "\"containers\":[{"
	     "\"args\":[\"\",\"x\"],\"env\":[{\"name\":\"\",\"valueFrom\":{\"resourceFieldRef\":{"
	     "\"divisor\":"
	     "\"0\",\"resource\":\"r\"}}}],\"name\":\"\",\"resources\":{\"limits\":{\"cpu\":\"0\"}}"
	     "},{\"name\":"
	     "\"\",\"resources\":{}}]}}"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = js(a, rows[i].in), out, again;

		assert_int_equal(podtemplate_canonical(a, &v, &out, NULL), 0);
		assert_string_equal(json_str(a, &out, JSON_SORTED), rows[i].out);
		assert_int_equal(podtemplate_canonical(a, &out, &again, NULL), 0);
		assert_string_equal(json_str(a, &again, JSON_SORTED), rows[i].out);
	}
}

/* A default at a path of the spec. */
static void defaults(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *path[1], *want;
	} rows[] = {
	    {"{}", {"terminationGracePeriodSeconds"}, "30"},
	    {"{'terminationGracePeriodSeconds':0}", {"terminationGracePeriodSeconds"}, "0"},
	    {"{}", {"securityContext"}, "{}"},
	    {"{'volumes':[{'name':'a'}]}", {"volumes"}, "[{\"emptyDir\":{},\"name\":\"a\"}]"},
	    {"{'volumes':[{'name':'a','x':{}}]}", {"volumes"}, "[{\"name\":\"a\",\"x\":{}}]"},
	    {"{'volumes':[{'name':'a','hostPath':{'path':'/'}}]}",
	     {"volumes"},
	     "[{\"hostPath\":{\"path\":\"/\",\"type\":\"\"},\"name\":\"a\"}]"},
	    {"{'volumes':[{'name':'a','secret':{'secretName':'s'}}]}",
	     {"volumes"},
	     "[{\"name\":\"a\",\"secret\":{\"defaultMode\":420,\"secretName\":\"s\"}}]"},
	    {"{'volumes':[{'name':'a','projected':{'sources':[{'serviceAccountToken':{'path':'t'}}]"
	     "}}]}",
	     {"volumes"},
	     "[{\"name\":\"a\",\"projected\":{\"defaultMode\":420,\"sources\":[{"
	     "\"serviceAccountToken\":{"
	     "\"expirationSeconds\":3600,\"path\":\"t\"}}]}}]"},
	    {"{'volumes':[{'name':'a','ephemeral':{'volumeClaimTemplate':{}}}]}",
	     {"volumes"},
	     "[{\"ephemeral\":{\"volumeClaimTemplate\":{\"metadata\":{\"creationTimestamp\":null},"
	     "\"spec\":{"
	     "\"resources\":{},\"volumeMode\":\"Filesystem\"}}},\"name\":\"a\"}]"},
	    {"{'overhead':{'cpu':'1u'}}", {"overhead"}, "{\"cpu\":\"1m\"}"},
	};
	static const struct {
		const char *image, *policy;
	} images[] = {{"busybox", "Always"},	       {"busybox:latest", "Always"},
		      {"busybox:1", "IfNotPresent"},   {"r:5000/busybox", "Always"},
		      {"r:5000/b:1", "IfNotPresent"},  {"b@sha256:aa", "IfNotPresent"},
		      {"b:latest@sha256:aa", "Always"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = val_map();

		val_set(a, &v, "spec", js(a, rows[i].spec));
		assert_int_equal(podtemplate_default(a, &v, NULL), 0);
		assert_string_equal(
		    json_str(a, val_get(val_get(&v, "spec"), rows[i].path[0]), JSON_SORTED),
		    rows[i].want);
	}
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = js(
		    a,
		    arena_printf(a,
				 "{'spec':{'initContainers':[{'image':'%s'}],'containers':[{'image'"
				 ":'%s'}]}}",
				 images[i].image, images[i].image));
		const val *s;

		assert_int_equal(podtemplate_default(a, &v, NULL), 0);
		s = val_get(&v, "spec");
		assert_true(
		    val_is(val_get(val_at(val_get(s, "initContainers"), 0), "imagePullPolicy"),
			   images[i].policy));
		assert_true(val_is(val_get(val_at(val_get(s, "containers"), 0), "imagePullPolicy"),
				   "Always"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(containers),
	    cmocka_unit_test(spec),
	    cmocka_unit_test(volumes),
	    cmocka_unit_test(whole_template),
	    cmocka_unit_test(annotations_have_a_limit),
	    cmocka_unit_test(canonical),
	    cmocka_unit_test(defaults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
