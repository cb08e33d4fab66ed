#!/bin/bash
# Runs one fuzz target: one.sh FOLDER NAME SECONDS. Log, crashing inputs and the grown corpus stay under build/fuzz, and what the run
# did becomes a row of build/fuzz/record.csv, also when it was stopped (TERM) before its time.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
folder=$1 name=$2 seconds=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
findings=$root/build/fuzz/findings
corpus=$root/build/fuzz/corpus/$name
log=$findings/$name.log
mkdir -p "$findings" "$corpus"
seeds=("$root/tests/data")
[[ $name != catalog ]] || seeds=("$root/data")
[[ $name != spec ]] || seeds=("$root/docs/examples")
[[ ! -d $root/tests/fuzz/seeds/$name ]] || seeds+=("$root/tests/fuzz/seeds/$name")

began=$SECONDS status=0 stopped=0
"$folder/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="$findings/$name-" "$corpus" "${seeds[@]}" >"$log" 2>&1 &
fuzzer=$!
trap 'stopped=1; kill "$fuzzer" 2>/dev/null || true' TERM INT
wait "$fuzzer" || status=$?
if [[ $stopped -eq 1 ]]; then wait "$fuzzer" || true; fi

crashes=0
[[ $status -eq 0 || $stopped -eq 1 ]] || crashes=1
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
times >"$log.times"  # the second line: what children took, as 1m2.345s 0m0.678s
cpu=$(awk 'NR == 2 { gsub("s", ""); for (i = 1; i <= NF; ++i) { split($i, part, "m"); sum += part[1] * 60 + part[2] } printf "%d", sum }' "$log.times")
rm -f "$log.times"
printf '%s,%s,%s,%s,%s\n' "$name" "$((SECONDS - began))" "$cpu" "${runs:-0}" "$crashes" >>"$root/build/fuzz/record.csv"
if [[ $crashes -eq 1 ]]; then
  echo "fuzz target $name failed:" >&2
  tail -n 40 "$log" >&2
  exit 1
fi
