# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Certificates of a test cluster: one CA, the API server's pair, client pairs. ECDSA, since it is quick.

new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1" 2>/dev/null; }

# certificate FILE CN O EXTENSIONS
certificate() {
	new_key "$dir/pki/$1.key"
	openssl req -new -key "$dir/pki/$1.key" -subj "/O=$3/CN=$2" -out "$dir/pki/$1.csr" 2>/dev/null
	openssl x509 -req -in "$dir/pki/$1.csr" -CA "$dir/pki/ca.crt" -CAkey "$dir/pki/ca.key" \
		-set_serial "0x$(openssl rand -hex 16)" -days 30 -out "$dir/pki/$1.crt" -extfile <(echo "$4") 2>/dev/null
	rm "$dir/pki/$1.csr"
}

# client_cert FILE CN O
client_cert() { certificate "$1" "$2" "$3" extendedKeyUsage=clientAuth; }

make_pki() {
	new_key "$dir/pki/ca.key"
	openssl req -x509 -new -key "$dir/pki/ca.key" -subj /CN=test-ca -days 30 -out "$dir/pki/ca.crt" 2>/dev/null
	certificate apiserver kube-apiserver kubernetes "extendedKeyUsage=serverAuth
subjectAltName=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.96.0.1"
	client_cert admin admin system:masters
	openssl genrsa -out "$dir/pki/sa.key" 2048 2>/dev/null
	openssl rsa -in "$dir/pki/sa.key" -pubout -out "$dir/pki/sa.pub" 2>/dev/null
	token=$(openssl rand -hex 16)
	echo "$token,admin,admin,system:masters" >"$dir/pki/tokens"
}

# kubeconfig FILE USER-YAML
kubeconfig() {
	cat >"$1" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: $apiserver, certificate-authority-data: $(base64 -w0 <"$dir/pki/ca.crt")}}]
users: [{name: admin, user: $2}]
contexts: [{name: test, context: {cluster: test, user: admin}}]
current-context: test
YAML
	chmod 600 "$1"
}

cert_user() {
	echo "{client-certificate-data: $(base64 -w0 <"$dir/pki/$1.crt"), client-key-data: $(base64 -w0 <"$dir/pki/$1.key")}"
}
