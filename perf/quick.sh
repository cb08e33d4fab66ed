#!/bin/bash
# How long `gpuwright doctor --quick` takes on a machine with eight simulated H100: wall and processor time, median, smallest and
# largest of RUNS (default 100), and the memory of one run. perf/quick.sh [BUILD] (default build/perf, then build/release).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/perf}
[[ -x $build/gpuwright ]] || build=$root/build/release
program=$build/gpuwright
runs=${RUNS:-100}
for library in "$build/fakegpu/libnvidia-ml.so.1" "$root"/build/*/fakegpu/libnvidia-ml.so.1; do
  [[ ! -f $library ]] || break
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'boards 8 h100-sxm\nload 60\n' >"$folder/healthy"
printf 'boards 8 h100-sxm\nload 60\nat 0s gpu 2 lost\n' >"$folder/lost"
printf 'boards 8 h100-sxm\nload 60\nat 0s gpu 1 hang all\n' >"$folder/hang"
export GPUWRIGHT_NVML=$library

measure() {  # LABEL RUNS SCENARIO ARGS...: milliseconds
  local label=$1 count=$2 i
  export GPUWRIGHT_FAKEGPU=$folder/$3
  shift 3
  for ((i = 0; i < count; ++i)); do
    TIMEFORMAT='%R %U %S'
    { time "$program" doctor "$@" >/dev/null 2>&1 || true; } 2>&1
  done | sort -g | awk -v label="$label" '
    { wall[NR] = $1 * 1000; cpu += ($2 + $3) * 1000 }
    END { printf "%-38s median %6.1f ms, %6.1f to %6.1f; processor %6.1f ms (mean of %d)\n", label, wall[int((NR + 1) / 2)], wall[1], wall[NR], cpu / NR, NR }'
}

"$program" doctor --quick >/dev/null 2>&1 || true  # into the page cache
measure "doctor --quick, healthy" "$runs" healthy --quick
measure "doctor --quick --slurm --drain, healthy" "$runs" healthy --quick --slurm --drain
measure "doctor --quick, a lost GPU" "$runs" lost --quick
measure "doctor --quick, a GPU that hangs" 5 hang --quick
measure "doctor (all of it), healthy" 10 healthy
GPUWRIGHT_FAKEGPU=$folder/healthy /usr/bin/time -f 'doctor --quick: %M KiB resident at most' "$program" doctor --quick >/dev/null 2>"$folder/memory" || true
tail -n 1 "$folder/memory"
