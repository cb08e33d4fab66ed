#!/bin/bash
# Shows that check.sh fails where it should: each planted line is found, and a clean tree passes.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
echo 'gpuwright doctor /var/log/work/dmesg' >"$tree/clean.md"
"$here/check.sh" "$tree"
for planted in "see /wo""rk/main" "deb http://d""eb.debian.org/debian" "Cl""aude wrote this" "../sha""red/data" "-----BEGIN RSA PRIVATE K""EY-----"; do
  echo "$planted" >"$tree/planted.md"
  if "$here/check.sh" "$tree" >/dev/null; then echo "check.sh let pass: $planted"; exit 1; fi
done
