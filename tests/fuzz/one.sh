#!/bin/bash
# Runs one fuzz target: one.sh FOLDER SECONDS NAME. Log, crashing inputs and the grown corpus stay under build/fuzz.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
folder=$1 seconds=$2 name=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
findings=$root/build/fuzz/findings
corpus=$root/build/fuzz/corpus/$name
mkdir -p "$findings" "$corpus"
seeds=("$root/tests/data")
[[ $name != catalog ]] || seeds=("$root/data")
if ! "$folder/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="$findings/$name-" "$corpus" "${seeds[@]}" >"$findings/$name.log" 2>&1; then
  echo "fuzz target $name failed:" >&2
  tail -n 40 "$findings/$name.log" >&2
  exit 1
fi
