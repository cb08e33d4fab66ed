#!/bin/bash
# The pure modules of the page, by node's own test runner: unit.sh WEB BUILT (web/, and the folder where
# the build has bundled it).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
web=$1 modules=$2/node_modules out=$2/unit
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$out"
"$modules/.bin/esbuild" "$web"/src/{sse,connection,rates,history,incidents,judge,jobs,past,store,spark,texts,format}.ts --bundle --splitting \
  --format=esm --platform=node --out-extension:.js=.mjs --outdir="$out" --log-level=warning
cd "$out"
GPUWRIGHT_WEB=$out GPUWRIGHT_WEB_SOURCES=$web/src exec node --test "$here/pure.test.mjs"
