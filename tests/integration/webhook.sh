#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Admission against a real API server, in URL mode on loopback: set-up, the recorded admission cases, repair,
# renewal, two replicas, dry-run, and requests that are not what they should be.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup webhook
install_kruised
check "the manifests are accepted" kubectl apply -f packaging/install/
start_kruised

mutating=mutatingwebhookconfiguration/kruise-mutating-webhook-configuration
validating=validatingwebhookconfiguration/kruise-validating-webhook-configuration
data=$root/tests/data/cloneset
hook=https://127.0.0.1:$WEBHOOK_PORT

bundle() { kubectl get "$1" -o jsonpath='{.webhooks[0].clientConfig.caBundle}'; }
ca_now() { base64 -w0 <"$RUNDIR/webhook/ca-cert.pem"; }
all_agree() { [ "$(bundle $mutating)" = "$(ca_now)" ] && [ "$(bundle $validating)" = "$(ca_now)" ]; }
ready() { curl -sf "$HEALTH/readyz"; }

# review PATH FILE [curl arguments]: prints the body
review() { curl -s --cacert "$RUNDIR/webhook/ca-cert.pem" -H 'Content-Type: application/json' --data-binary @"$2" "$hook$1" "${@:3}"; }
status_of() { review "$@" -o /dev/null -w '%{http_code}'; }

cloneset() { # NAME REPLICAS
	jq -n --arg name "$1" --argjson replicas "$2" '{apiVersion: "apps.kruise.io/v1alpha1", kind: "CloneSet",
		metadata: {namespace: "default", name: $name}, spec: {replicas: $replicas, selector: {matchLabels: {app: "x"}},
		template: {metadata: {labels: {app: "x"}}, spec: {containers: [{name: "main", image: "nginx:1.19"}]}}}}'
}
create() { cloneset "$1" 0 | kubectl create -f -; }

# ---- set-up
# covers: manager:S1 manager:S6
check "both configurations carry the CA that is served" all_agree
check_eq "only served paths are in the mutating configuration" "$hook/mutate-apps-kruise-io-cloneset $hook/mutate-pod" \
	"$(kubectl get $mutating -o jsonpath='{.webhooks[*].clientConfig.url}')"
check "a CloneSet can be created" create first
check_eq "it has got its defaults" 10 "$(kubectl get cloneset first -o jsonpath='{.spec.revisionHistoryLimit}')"

# ---- the recorded cases
kubectl delete cloneset --all >/dev/null 2>&1
n=$(jq length "$data/admission.json")
for ((i = 0; i < n; i++)); do
	jq ".[$i].input" "$data/admission.json" >"$work/case.json"
	name=$(jq -r ".[$i].name" "$data/admission.json")
	want=$(jq -r ".[$i].accepted" "$data/admission.json")
	# the recording is of OpenKruise 1.5; since 1.9 a string must be a percentage
	[ "$name" != numeric-string ] || want=false
	got=true
	kubectl create --dry-run=server -f "$work/case.json" >"$work/out" 2>&1 || got=false
	check_eq "admission of $name" "$want" "$got"
	[ "$want" = "$got" ] || sed 's/^/  # /' "$work/out"
	# "path: Kind" of the recorded message must be in ours; "" where the recording is of a client or a decoder
	kind=$(jq -r ".[$i].message" "$data/admission.json" | grep -oE 'spec[][a-zA-Z0-9.]*: (Invalid value|Required value|Forbidden|Unsupported value|Not found|Duplicate value)' | head -n 1)
	[ -z "$kind" ] || check "admission of $name says $kind" grep -qF "$kind" "$work/out"
done
# created for real: what is stored, and the revision that the controller makes of it
revision_of() { kubectl get controllerrevisions -o json | jq -Sc --arg n "$1" '[.items[] | select(.metadata.ownerReferences[0].name == $n)
	| {name: .metadata.name, labels: .metadata.labels, data}][0] // empty'; }
has_revision() { [ -n "$(revision_of "$1")" ]; }
# OpenKruise's typed encoding drops fields that it does not know; here they stay, also in the revision
add_unknown() { # FILTER OF THE TEMPLATE
	jq -Sc --slurpfile in "$work/case.json" '$in[0].spec.template.spec as $t | '"$1"'.spec |= (.hostUsers = $t.hostUsers
		| .containers[0].resizePolicy = $t.containers[0].resizePolicy)'
}
n=$(jq length "$data/stored.json")
for ((i = 0; i < n; i++)); do
	jq ".[$i].input" "$data/stored.json" >"$work/case.json"
	name=$(jq -r ".[$i].name" "$data/stored.json")
	if [ "$(jq ".[$i].rc" "$data/stored.json")" != 0 ]; then
		kind=$(jq -r ".[$i].error" "$data/stored.json" | grep -oE 'spec[][a-zA-Z0-9.]*: [A-Z][a-z]+ value')
		check_eq "$name is refused with the same words" "$kind" "$(kubectl create -f "$work/case.json" 2>&1 | grep -oE "$kind" | head -n 1)"
		continue
	fi
	want=$(jq -Sc ".[$i].stored" "$data/stored.json")
	want_revision=$(jq -Sc ".[$i].revision" "$data/stored.json")
	got=$(kubectl create -f "$work/case.json" -o json 2>"$work/out" |
		jq -Sc 'del(.status, .metadata.uid, .metadata.creationTimestamp, .metadata.resourceVersion, .metadata.managedFields)')
	[ "$name" != grpc-unknown ] || want=$(add_unknown .spec.template <<<"$want")
	check_eq "what is stored of $name" "$want" "$got"
	until_true 20 has_revision "$(jq -r .metadata.name "$work/case.json")"
	got=$(revision_of "$(jq -r .metadata.name "$work/case.json")")
	if [ "$name" = grpc-unknown ]; then # other data, hence another name
		check_eq "the revision of $name keeps what is unknown" "$(jq -Sc .data <<<"$want_revision" | add_unknown .spec.template)" "$(jq -Sc .data <<<"$got")"
	else
		check_eq "the revision of $name" "$want_revision" "$got"
	fi
done
kubectl delete cloneset --all --wait=false >/dev/null

# ---- dry-run
cloneset ghost 0 | kubectl create --dry-run=server -f - >/dev/null 2>&1
# covers: manager:S15
check_eq "a dry-run writes nothing" "" "$(kubectl get cloneset ghost -o name 2>/dev/null)"

# ---- repair
kubectl patch $mutating --type=json -p '[{"op":"replace","path":"/webhooks/0/clientConfig/caBundle","value":"Q0E="}]' >/dev/null
# covers: manager:S3 manager:W4
check "a caBundle edited by hand is put back" until_true 10 all_agree
kubectl delete $validating >/dev/null
check "a configuration that was deleted comes back" until_true 10 all_agree

# ---- wire
jq -n --argjson o "$(cloneset a 1)" '{apiVersion: "admission.k8s.io/v1beta1", kind: "AdmissionReview", request: {uid: "u",
	operation: "CREATE", resource: {group: "apps.kruise.io", version: "v1alpha1", resource: "clonesets"}, object: $o}}' >"$work/beta.json"
# covers: manager:S14
check_eq "v1beta1 is answered in v1beta1" "admission.k8s.io/v1beta1 true" \
	"$(review /mutate-apps-kruise-io-v1alpha1-cloneset "$work/beta.json" | jq -r '"\(.apiVersion) \(.response.allowed)"')"
echo 'not json' >"$work/garbage"
head -c $((17 << 20)) /dev/zero >"$work/big"
path=/validate-apps-kruise-io-cloneset
# covers: manager:S16
check_eq "unknown path" 404 "$(status_of /mutate-nothing "$work/beta.json")"
check_eq "wrong method" 405 "$(status_of $path "$work/beta.json" -X PUT)"
check_eq "not JSON" 400 "$(status_of $path "$work/garbage")"
check_eq "a body above 16 MiB" 413 "$(status_of $path "$work/big")"
# many of everything that an object can have many of: an answer, and the same processes afterwards
pids=$(child_pid webhookd-0)-$(child_pid webhookd-1)
jq -n '{apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: {uid: "u", operation: "CREATE", namespace: "default",
	resource: {group: "apps.kruise.io", version: "v1alpha1", resource: "clonesets"}, object: {apiVersion: "apps.kruise.io/v1alpha1",
	kind: "CloneSet", metadata: {name: "big"}, spec: {selector: {matchLabels: {app: "x"}}, template: {
	metadata: {labels: ({app: "x"} + ([range(20000) | {key: "l\(.)", value: "v"}] | from_entries))},
	spec: (([range(20000) | {key: "unknown\(.)", value: 1}] | from_entries) + {
		volumes: [range(2000) | {name: "v\(.)", emptyDir: {}}],
		containers: [{name: "m", image: "x", env: [range(20000) | {name: "E\(.)", value: "v"}],
			ports: [range(5000) | {containerPort: (. + 1)}], volumeMounts: [range(2000) | {name: "v\(.)", mountPath: "/m\(.)"}]}]})}}}}}' >"$work/many"
for kind in mutate validate; do
	check_eq "a CloneSet with very many fields: $kind" 200 "$(status_of /$kind-apps-kruise-io-cloneset "$work/many" --max-time 5)"
done
check_eq "and no webhookd died of it" "$pids" "$(child_pid webhookd-0)-$(child_pid webhookd-1)"
check_eq "another content type is tolerated" 200 "$(status_of $path "$work/beta.json" -H 'Content-Type: text/plain')"
check_eq "HTTP/2 is not offered" "" "$(openssl s_client -connect "127.0.0.1:$WEBHOOK_PORT" -alpn h2 </dev/null 2>/dev/null | grep 'ALPN protocol: h2')"
counted() { curl -s "$METRICS/metrics" | grep -q 'controller_runtime_webhook_requests_total{.*code="404"'; }
check "requests are counted" until_true 10 counted

# ---- new certificates, while a connection is open
mkfifo "$work/in"
openssl s_client -connect "127.0.0.1:$WEBHOOK_PORT" <"$work/in" >"$work/answers" 2>/dev/null &
exec 9>"$work/in"
trap '' PIPE
ask() { printf 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n' >&9; }
answers() { [ "$(grep -c '^HTTP/1.1 200' "$work/answers")" = "$1" ]; }
# the handshake is over, the request comes after the change
check "a connection is open" until_true 5 grep -q 'Verify return code' "$work/answers"
old=$(ca_now)
rm -f "$RUNDIR"/certs/*.pem
ctl restart webhookconfig >/dev/null
changed() { [ "$(ca_now)" != "$old" ] && all_agree && ready; }
check "certificates that are gone are made anew, and all parts agree" until_true 20 changed
ask
# covers: manager:S4
check "the connection from before goes on" until_true 5 answers 1
exec 9>&-
check "a CloneSet can be created afterwards" until_true 10 create second

# ---- new certificates under load: sixteen connections that are kept, no request may fail
"$build/kruise-bench" admission --url "https://127.0.0.1:$WEBHOOK_PORT" --connections 16 --seconds 600 >"$work/bench" 2>&1 &
load=$!
answered() { # more requests than at the last call
	local n=${total:-0}
	total=$(curl -s "$METRICS/metrics" | awk '/^controller_runtime_webhook_requests_total.*code="200"/ {n += $2} END {print n + 0}')
	[ "$total" -gt "$n" ]
}
# covers: manager:W6
for i in 1 2 3; do
	check "requests are answered" until_true 20 answered
	old=$(ca_now)
	rm -f "$RUNDIR"/certs/*.pem
	ctl restart webhookconfig >/dev/null
	check "change $i under load" until_true 30 changed
done
check "requests are answered" until_true 20 answered
check "no connection was lost" kill -0 $load
kill $load
wait $load 2>/dev/null
check_eq "each request was approved" "" "$(cat "$work/bench")"

# ---- two replicas at their first start: webhookconfig alone, on runtime folders of their own, with the Secret
stop_kruised
kubectl delete $mutating $validating >/dev/null 2>&1
for i in 1 2; do
	mkdir -m 700 "$work/r$i"
	KRUISED_RUNDIR=$work/r$i KRUISED_CONTROL='' WEBHOOK_HOST='' "$build/kruise-worker" webhookconfig --runtime-dir "$work/r$i" \
		</dev/null >"$work/replica$i.log" 2>&1 &
	replicas[i]=$!
done
same_ca() { cmp "$work"/r{1,2}/webhook/ca-cert.pem && cmp "$work"/r{1,2}/webhook/serving.pem; }
# covers: manager:S5 manager:W3
check "two replicas end with one certificate" until_true 20 same_ca
secret_ca() { kubectl -n kruise-system get secret kruise-webhook-certs -o jsonpath='{.data.ca-cert\.pem}'; }
agree_with_secret() { [ "$(bundle $mutating)" = "$(secret_ca)" ] && [ "$(bundle $validating)" = "$(secret_ca)" ]; }
check "and the configurations with the Secret" until_true 20 agree_with_secret
check_eq "the Secret has all its keys" "ca-cert.pem ca-key.pem cert.pem key.pem tls.crt tls.key" \
	"$(kubectl -n kruise-system get secret kruise-webhook-certs -o json | jq -r '.data | keys | join(" ")')"
kill "${replicas[@]}"
wait "${replicas[@]}" 2>/dev/null
finish
