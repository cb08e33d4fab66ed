#!/bin/bash
# How fast doctor reads. One run measures, on the same two synthetic kernel logs (BYTES, default 1 GB; one line in a thousand a fault, and a
# storm in which each line is one): the scanner with all signatures, ripgrep -j1 with the same signatures as expressions, ripgrep with twelve
# plain words, and the regex-per-pattern loop of node agents (on the first MB). Medians of RUNS (default 5), CPU seconds of one thread.
# Then the start-up: a whole doctor run on a small file, and a live one (perf/live.sh; `run.sh live` is that alone). docs/measurements.md holds the figures of record.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/perf
tool=$build/scan_perf
program=$build/gpuwright
runs=${RUNS:-5}
bytes=${BYTES:-1000000000}
data=$build/data
[[ ${1:-} != live ]] || exec "$root/perf/live.sh"
mkdir -p "$data"

[[ -f $data/sparse.$bytes ]] || "$tool" make-log "$bytes" 1000 >"$data/sparse.$bytes"
[[ -f $data/storm.$bytes ]] || "$tool" make-log "$bytes" 1 >"$data/storm.$bytes"
"$tool" expressions >"$data/expressions"
printf '%s\n' 'NVRM: Xid' 'SXid (PCI' 'NCCL WARN' 'CUDA error' 'out of memory' 'fallen off the bus' 'I/O error' \
  'blocked for more than' 'PCIe Bus Error' 'EDAC MC' 'Port module event' 'soft lockup' >"$data/words"

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

report() {  # LABEL BYTES SECONDS
  awk -v label="$1" -v bytes="$2" -v s="$3" 'BEGIN { printf "%-44s %8.3f s  %8.5f GB/s\n", label, s, bytes / 1e9 / s }'
}

cpu_of() {  # COMMAND...: user and system seconds; stops when the command could not do its work
  local times
  "$@" >/dev/null 2>&1 || [[ $? -le 1 ]] || { echo "failed: $1 ${*: -1}" >&2; exit 1; }
  TIMEFORMAT='%U %S'
  times=$( { time { "$@" >/dev/null 2>&1 || true; }; } 2>&1)
  awk '{ print $1 + $2 }' <<<"$times"
}

repeat() {  # RUNS COMMAND...: a number a line
  local i
  for ((i = 0; i < $1; ++i)); do "${@:2}"; done
}

scan_seconds() { "$tool" scan "$1" | awk '{ print $1 }'; }
loop_seconds() { "$tool" regex-loop "$1" 1000000 | awk '{ print $1 }'; }

echo "$(wc -l <"$data/expressions") expressions; $(nproc) processors; medians of $runs runs"
for kind in sparse storm; do
  file=$data/$kind.$bytes
  size=$(stat -c %s "$file")
  ours=$(repeat "$runs" scan_seconds "$file" | median)
  report "$kind: scanner, all signatures" "$size" "$ours"
  report "$kind: rg -j1, the same expressions" "$size" "$(repeat "$runs" cpu_of rg -j1 --regex-size-limit 1G \
    --dfa-size-limit 1G -c -f "$data/expressions" "$file" | median)"
  [[ ! -f $data/sixty ]] || report "$kind: rg -j1, ${SIXTY_LABEL:-sixty expressions}" "$size" \
    "$(repeat "$runs" cpu_of rg -j1 -c -f "$data/sixty" "$file" | median)"
  report "$kind: rg -j1 -F, twelve words" "$size" "$(repeat "$runs" cpu_of rg -j1 -F -c -f "$data/words" "$file" | median)"
  report "$kind: one regex after the other (1 MB)" 1000000 "$(repeat 1 loop_seconds "$file")"
  "$tool" scan "$file" | awk -v kind="$kind" '{ printf "%-44s %8d KiB peak, %d matches\n", kind ": scanner", $7, $5 }'
done

printf 'NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n' >"$data/small"
start=$(date +%s%N)
for ((i = 0; i < 50; ++i)); do "$program" doctor --quiet "$data/small" >/dev/null || true; done
awk -v ns=$(($(date +%s%N) - start)) 'BEGIN { printf "%-44s %8.2f ms wall, mean of 50\n", "doctor on a small file", ns / 50e6 }'
"$root/perf/live.sh"
