#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# kruised as the service account that packaging/install/ makes, with RBAC in force and its certificates in the
# Secret: it becomes ready only with the rights, repairs and renews its certificates, and replicas succeed each other.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup manager
start_nodesim --nodes 2 --start-delay 100ms --restart-delay 100ms --kill-delay 50ms

ns=kruise-system
mutating=mutatingwebhookconfiguration/kruise-mutating-webhook-configuration
validating=validatingwebhookconfiguration/kruise-validating-webhook-configuration
base=$(mktemp -d /dev/shm/kruised-mgr.XXXXXX)
declare -A pids
end() {
	local rc=$? pid
	for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null; done
	for pid in "${pids[@]}"; do until_true 20 not_running "$pid" || kill -KILL "$pid" 2>/dev/null; done
	rm -rf "$base"
	(exit $rc)
	teardown
}
trap end EXIT

# replica N [flags] : kruised with a runtime folder of its own, as the service account
replica() {
	local n=$1
	shift
	KUBECONFIG=$work/account.kubeconfig WEBHOOK_CERT_WRITER=secret "$build/kruised" --runtime-dir "$base/$n" \
		--metrics-addr 127.0.0.1:0 --health-probe-addr 127.0.0.1:0 "$@" </dev/null >>"$work/kruised.log" 2>&1 &
	pids[$n]=$!
}
stop() { # N SIGNAL
	kill "-$2" "${pids[$1]}"
	wait "${pids[$1]}" 2>/dev/null
	unset "pids[$1]"
}
rport() { sed -n "s/^$2=//p" "$base/$1/ports"; }
probe() { curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$(rport "$1" health)/$2"; }
rready() { [ "$(probe "$1" readyz)" = 200 ]; }
bundle() { kubectl get "$1" -o jsonpath='{.webhooks[0].clientConfig.caBundle}'; }
secret() { kubectl -n $ns get secret kruise-webhook-certs -o jsonpath="{.data.$1}"; }
# the Secret, what webhookd serves, and both configurations
agree() {
	local ca
	ca=$(secret 'ca-cert\.pem') && [ -n "$ca" ] && [ "$(base64 -w0 <"$base/$1/webhook/ca-cert.pem")" = "$ca" ] &&
		[ "$(bundle $mutating)" = "$ca" ] && [ "$(bundle $validating)" = "$ca" ]
}
agree_anew() { agree "$1" && [ "$(secret 'ca-cert\.pem')" != "$2" ] && rready "$1"; }
clone() { # NAME REPLICAS IMAGE
	cat <<END
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: $1}
spec:
  replicas: $2
  selector: {matchLabels: {app: $1}}
  updateStrategy: {type: InPlaceIfPossible}
  template:
    metadata: {labels: {app: $1}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: "$3"}]}
END
}
settled() { # NAME
	kubectl get clone "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation
		and .status.updatedReadyReplicas == .spec.replicas and .status.replicas == .spec.replicas'
}
pod_uids() { kubectl get pods -l app="$1" -o json | jq -r '[.items[].metadata.uid] | sort | join(" ")'; }
holder() { kubectl -n $ns get lease kruise-manager -o jsonpath='{.spec.holderIdentity}'; }
leads() { [ "$(holder)" = "$(cat "$base/$1/identity")" ] && "$build/kruisectl" --runtime-dir "$base/$1" status | grep -qE '^cloneset .* (yes|ready) '; }

# ---- flags
# covers: manager:S8
timeout 10 "$build/kruise-webhookd" --feature-gates=Nonsense=true >"$work/out" 2>&1
check_eq "an unknown gate is an error of the programs" 1 $?
check "which lists the known ones" grep -q 'Nonsense.*CloneSetShortHash' <(tr '\n' ' ' <"$work/out")

# ---- the account, still without its roles
kubectl apply -f packaging/crds/ -f packaging/install/00-namespace.yaml >/dev/null
kubectl wait --for=condition=Established crd/clonesets.apps.kruise.io --timeout=30s >/dev/null
check "the manifests pass the API server's checks" kubectl apply --dry-run=server -f packaging/crds/ -f packaging/install/
check "so does the Deployment" eval 'sed s,KRUISED_IMAGE,example.com/kruised:1, packaging/image/deployment.yaml | kubectl apply --dry-run=server -f -'
kubectl -n $ns create serviceaccount kruise-manager >/dev/null
token_name() { kubectl -n $ns get serviceaccount kruise-manager -o jsonpath='{.secrets[0].name}' | grep .; }
until_true 30 token_name
token=$(kubectl -n $ns get secret "$(token_name)" -o jsonpath='{.data.token}' | base64 -d)
cat >"$work/account.kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "$APISERVER", certificate-authority: "$CLUSTER_CA"}}]
users: [{name: u, user: {token: "$token"}}]
END
export WEBHOOK_HOST=127.0.0.1
WEBHOOK_PORT=$(free_port)
export WEBHOOK_PORT
# covers: manager:S12 manager:S13
replica 1 --feature-gates=AllAlpha=true,CloneSetShortHash=false --v=5 --logtostderr=true --enable-pprof
check "alive without rights" becomes 20 200 probe 1 healthz
denied() { grep -q 'cannot read Secret.*forbidden' "$work/kruised.log"; }
check "it is told that it may not read the Secret" until_true 20 denied
check_eq "and not ready" 503 "$(probe 1 readyz)"
kubectl apply -f packaging/install/ >/dev/null 2>&1
check "ready once it has its roles" until_true 60 rready 1
# covers: manager:S1 manager:W2
check "Secret, server and configurations carry one CA" agree 1
check "the leader's controllers run" until_true 60 leads 1
denied_requests() { curl -s "http://127.0.0.1:$(rport 1 metrics)/metrics" | awk '/^rest_client_requests_total.*code="403"/ {n += $2} END {print n + 0}'; }
counted() { [ "$(denied_requests)" -gt 0 ]; } # the attempts from before
check "denied requests are counted" until_true 20 counted
denials=$(denied_requests)

# ---- the roles suffice
clone rbac 3 nginx:1 | kubectl apply -f - >/dev/null
check "a CloneSet gets its pods" until_true 60 settled rbac
before=$(pod_uids rbac)
kubectl patch clone rbac --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:2"}]' >/dev/null
check "and is updated" until_true 60 settled rbac
check_eq "in place" "$before" "$(pod_uids rbac)"
# covers: manager:S9
check_eq "AllAlpha=true,CloneSetShortHash=false: the long hash" 1 \
	"$(kubectl get pods -l app=rbac -o json | jq '[.items[].metadata.labels["controller-revision-hash"] | startswith("rbac-")] | all | if . then 1 else 0 end')"
kubectl scale clone rbac --replicas=1 >/dev/null
check "and scaled" until_true 60 settled rbac
events() { kubectl get events -o json | jq -e '[.items[] | select(.involvedObject.name == "rbac" and .reason == "SuccessfulCreate")] | length > 0'; }
check "events are written" until_true 20 events
check_eq "nothing was denied since it is ready" "$denials" "$(denied_requests)"

# ---- certificates
old=$(secret 'ca-cert\.pem')
kubectl -n $ns delete secret kruise-webhook-certs >/dev/null
# covers: manager:S2
check "a Secret that was deleted is made anew, and all parts agree" until_true 20 agree_anew 1 "$old"
check "a CloneSet can be created afterwards" eval 'clone second 0 x | kubectl create -f -'

# thirty days left, where six months are asked for
old=$(secret 'ca-cert\.pem')
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/ca.key" -out "$work/ca.crt" -days 3650 -subj /CN=short 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/tls.key" -out "$work/tls.csr" -subj /CN=127.0.0.1 2>/dev/null
openssl x509 -req -in "$work/tls.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial -days 30 -out "$work/tls.crt" \
	-extfile <(echo subjectAltName=IP:127.0.0.1) 2>/dev/null
# put_certs : a Secret with this set
put_certs() {
	kubectl -n $ns create secret generic kruise-webhook-certs --dry-run=client -o json --from-file=ca-key.pem="$work/ca.key" \
		--from-file=ca-cert.pem="$work/ca.crt" --from-file=key.pem="$work/tls.key" --from-file=cert.pem="$work/tls.crt" |
		kubectl replace -f - >/dev/null
}
put_certs
renewed() { agree_anew 1 "$old" && [ "$(secret 'ca-cert\.pem')" != "$(base64 -w0 <"$work/ca.crt")" ]; }
# covers: manager:S4 manager:W2
check "a certificate that is close to its end is renewed" until_true 20 renewed
check "a CloneSet can be created after it" eval 'clone third 0 x | kubectl create -f -'
kubectl delete clone second third >/dev/null
stop 1 TERM
check_eq "the Lease is released by a clean stop" "" "$(holder)"

export CERTS_RENEW_BEFORE=20d
put_certs
replica 1
check "with CERTS_RENEW_BEFORE=20d it becomes ready" until_true 60 rready 1
check_eq "and keeps the set that has thirty days left" "$(base64 -w0 <"$work/ca.crt")" "$(secret 'ca-cert\.pem')"
check "which it serves" agree 1
stop 1 TERM
unset CERTS_RENEW_BEFORE

# ---- two replicas, through the Service; nothing routes to it here, so scaling (which no webhook sees) shows who works
unset WEBHOOK_HOST
kubectl -n $ns delete secret kruise-webhook-certs >/dev/null
for i in 1 2; do
	WEBHOOK_PORT=$(free_port)
	replica $i
done
for i in 1 2; do
	check "replica $i is ready" until_true 60 rready $i
done
# covers: manager:W3 manager:S5
check "both serve the one certificate that is in the Secret" eval 'agree 1 && agree 2 && cmp "$base"/{1,2}/webhook/serving.pem'
check_eq "the configurations lead to the Service, by no URL" 'kruise-system/kruise-webhook-service null' \
	"$(kubectl get $mutating -o json | jq -r '.webhooks[0].clientConfig | "\(.service.namespace)/\(.service.name) \(.url)"')"
one_leads() { leads 1 || leads 2; }
# covers: manager:E1
check "one of them leads" until_true 30 one_leads
if leads 1; then lead=1 standby=2; else lead=2 standby=1; fi
check_eq "the other runs no controller" 0 "$("$build/kruisectl" --runtime-dir "$base/$standby" status | grep -cE '^cloneset .* (yes|ready) ')"
check_eq "and is ready all the same" 200 "$(probe $standby readyz)"
scale() { kubectl scale clone rbac --replicas="$1" >/dev/null && until_true 30 settled rbac; }
check "the leader scales" scale 2

# the Lease is good for 15 s: a successor within less has not waited for its end
stop $lead TERM
# covers: manager:S10
check "a leader that stops is succeeded before its Lease would have ended" until_true 8 leads $standby
check "the successor scales" scale 3
WEBHOOK_PORT=$(free_port)
replica $lead
check "it comes back as the standby" until_true 60 rready $lead
check "while the other leads" leads $standby
stop $standby KILL
# covers: manager:S10
check "a leader that is killed is succeeded" until_true 25 leads $lead
check "the successor scales" scale 1
finish
