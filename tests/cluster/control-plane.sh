# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
#
# The four processes of a control plane. Sourced by `up`. start_… begins a process, await_… waits until it
# serves, so that several start at the same time.

# Unpacks a snapshot into etcd's data folder: restore_etcd PEER-PORT
restore_etcd() {
	local snapshot=$restore
	[ -r "$restore" ] || die "cannot read $restore"
	if [[ $restore == *.xz ]]; then
		snapshot=$dir/snapshot
		xz -dc "$restore" >"$snapshot" || die "cannot unpack $restore"
	fi
	ETCDCTL_API=3 etcdctl snapshot restore "$snapshot" --data-dir "$dir/etcd" --name test \
		--initial-cluster "test=http://127.0.0.1:$1" \
		--initial-advertise-peer-urls "http://127.0.0.1:$1" >>"$dir/log/etcd.log" 2>&1 ||
		die "etcdctl cannot restore $restore: $(tail -n 3 "$dir/log/etcd.log")"
	rm -f "$dir/snapshot"
}

start_etcd() {
	local port peer args=()
	port=$(free_port) peer=$(free_port)
	etcd_url=http://127.0.0.1:$port
	if [ -n "$restore" ]; then restore_etcd "$peer"; fi
	# the data lives for an hour: nothing is gained by syncing it
	if grep -q unsafe-no-fsync <<<"$(etcd --help 2>&1)"; then args+=(--unsafe-no-fsync); fi
	start etcd etcd --name test --data-dir "$dir/etcd" --listen-client-urls "$etcd_url" \
		--advertise-client-urls "$etcd_url" --listen-peer-urls "http://127.0.0.1:$peer" \
		--initial-advertise-peer-urls "http://127.0.0.1:$peer" \
		--initial-cluster "test=http://127.0.0.1:$peer" --log-level warn \
		--quota-backend-bytes $((4 << 30)) --auto-compaction-retention 1h "${args[@]}"
}
await_etcd() { must_serve etcd 60 curl -sf --max-time 5 "$etcd_url/health"; }

start_apiserver() {
	local port args=()
	port=$(free_port)
	apiserver_minor=$(minor_version kube-apiserver)
	apiserver=https://127.0.0.1:$port
	if [ "$fast" -eq 1 ]; then args+=(--max-requests-inflight 4000 --max-mutating-requests-inflight 2000); fi
	# nobody makes service accounts then, and pods must not wait for one
	if [ "$controller_manager" -eq 0 ]; then args+=(--disable-admission-plugins ServiceAccount); fi
	start kube-apiserver kube-apiserver --etcd-servers "$etcd_url" --bind-address 127.0.0.1 \
		--advertise-address 127.0.0.1 --secure-port "$port" --endpoint-reconciler-type none \
		--service-cluster-ip-range 10.96.0.0/16 --authorization-mode Node,RBAC --allow-privileged \
		--token-auth-file "$dir/pki/tokens" --client-ca-file "$dir/pki/ca.crt" \
		--tls-cert-file "$dir/pki/apiserver.crt" --tls-private-key-file "$dir/pki/apiserver.key" \
		--kubelet-client-certificate "$dir/pki/admin.crt" --kubelet-client-key "$dir/pki/admin.key" \
		--kubelet-preferred-address-types InternalIP \
		--service-account-issuer https://kubernetes.default.svc --service-account-key-file "$dir/pki/sa.pub" \
		--service-account-signing-key-file "$dir/pki/sa.key" "${args[@]}"
	kubeconfig "$dir/kubeconfig" "$(cert_user admin)"
	kubeconfig "$dir/kubeconfig.token" "{token: $token}"
	export KUBECONFIG=$dir/kubeconfig
}
await_apiserver() { must_serve kube-apiserver 120 api readyz; }

# api PATH: what the API server answers to the administrator
api() { curl -sf --max-time 5 --cacert "$dir/pki/ca.crt" -H "Authorization: Bearer $token" "$apiserver/$1"; }

start_controller_manager() {
	local args=()
	if [ "$(minor_version kube-controller-manager)" -lt 24 ]; then args+=(--port 0); fi
	# a restored cluster's nodes are silent: their pods must not be swept away
	if [ "$silent_nodes" -eq 1 ]; then args+=(--node-startup-grace-period 1000h --controllers '*,-podgc'); fi
	start kube-controller-manager kube-controller-manager --kubeconfig "$dir/kubeconfig" "${args[@]}" \
		--secure-port "$(free_port)" --bind-address 127.0.0.1 --cert-dir "$dir/pki" --leader-elect=false \
		--use-service-account-credentials=false --service-account-private-key-file "$dir/pki/sa.key" \
		--root-ca-file "$dir/pki/ca.crt" --node-monitor-grace-period "$grace" \
		--flex-volume-plugin-dir "$dir/volume-plugins" --kube-api-qps 1000 --kube-api-burst 1000
}

# Pods can be made once the default service account is there, and before 1.24 its token.
service_account_ready() {
	if [ "$apiserver_minor" -ge 24 ]; then
		api api/v1/namespaces/default/serviceaccounts/default
	else
		api api/v1/namespaces/default/serviceaccounts/default | jq -e '.secrets[0].name'
	fi
}
await_controller_manager() { must_serve kube-controller-manager 120 service_account_ready; }

start_scheduler() {
	local insecure minor insecure_addresses='' version=v1
	minor=$(minor_version kube-scheduler)
	if [ "$minor" -lt 25 ]; then version=v1beta2; fi
	if [ "$minor" -lt 22 ]; then version=v1beta1; fi
	if [ $version = v1beta1 ]; then
		# the insecure address can't be turned off in this version: at least it is loopback, and ours alone
		insecure=$(free_port)
		insecure_addresses="healthzBindAddress: 127.0.0.1:$insecure
metricsBindAddress: 127.0.0.1:$insecure"
	fi
	cat >"$dir/scheduler.yaml" <<YAML
apiVersion: kubescheduler.config.k8s.io/$version
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: $dir/kubeconfig, qps: 1000, burst: 1000}
leaderElection: {leaderElect: false}
$insecure_addresses
YAML
	scheduler_port=$(free_port)
	start kube-scheduler kube-scheduler --config "$dir/scheduler.yaml" --secure-port "$scheduler_port" \
		--bind-address 127.0.0.1 --cert-dir "$dir/pki"
}
await_scheduler() { must_serve kube-scheduler 60 curl -skf --max-time 5 "https://127.0.0.1:$scheduler_port/healthz"; }
