#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo is a test: in-place update on a real kubelet, containerd and registry, judged by the demo itself.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
KUBECONFIG='' DEMO_NAME=demo-$$ check "a CloneSet is updated in place on a real node" tests/e2e/demo
finish
