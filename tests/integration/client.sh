#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The API client library against a real API server: tests/integration/client.c does the work.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
setup client --no-scheduler
"$build/test-client"
