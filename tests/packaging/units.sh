#!/bin/bash
# units.sh PROGRAM: systemd takes our units as they are written. Without systemd-analyze the test is skipped (exit 77).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v systemd-analyze >/dev/null || { echo "skipped: systemd-analyze is not installed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here"/packaging/systemd/gpuwright-doctor.* "$folder/"
# verify looks for the program and for the documents; here it is where it was built.
sed -i "s|/usr/bin/gpuwright|$1|; /^Documentation=/d" "$folder/gpuwright-doctor.service"
failed=0
for unit in "$folder"/gpuwright-doctor.*; do
  said=$(systemd-analyze verify --man=no "$unit" 2>&1) || failed=1
  # What other units of the machine do wrong is not ours.
  mine=$(grep -i gpuwright <<<"$said" || true)
  [[ -z $mine ]] || { echo "$mine"; failed=1; }
done
systemd-analyze verify --man=no "$folder/gpuwright-doctor.timer" 2>&1 | grep -i gpuwright && failed=1
# A planted mistake is seen, so the silence above means something.
sed -i 's|^OnBootSec=.*|OnBotSec=2min|' "$folder/gpuwright-doctor.timer"
systemd-analyze verify --man=no "$folder/gpuwright-doctor.timer" 2>&1 | grep -q OnBotSec || { echo "the planted mistake was not seen"; failed=1; }
exit $failed
