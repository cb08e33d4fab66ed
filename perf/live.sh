#!/bin/bash
# A whole live `doctor` on this machine with eight simulated H100, beside `nvtop -s` on the same simulated node, in turns, so that both
# see the same minutes. NVTOP=PATH names an nvtop (fakegpu/README.md says which were tried); without one that is said. RUNS (default 21)
# per round, two rounds; medians. docs/measurements.md holds the figures of record.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/perf
runs=${RUNS:-21}
nvtop=${NVTOP:-$(command -v nvtop || true)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'boards 8 h100-sxm\nload 60\n' >"$folder/scenario"
export GPUWRIGHT_FAKEGPU=$folder/scenario GPUWRIGHT_NVML=$build/fakegpu/libnvidia-ml.so.1
export GPUWRIGHT_FAKEGPU_START=$(($(date +%s) - 300))

measure() {  # LABEL COMMAND...
  printf '%-34s %s\n' "$1" "$("$build/timed" "$runs" "${@:2}")"
}

echo "$(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg); medians of $runs runs, two rounds"
for _ in 1 2; do
  measure 'doctor, 8 simulated H100' "$build/gpuwright" doctor
  if [[ -n $nvtop ]]; then
    measure "nvtop -s, the same node" env LD_LIBRARY_PATH="$build/fakegpu" "$nvtop" -s
  else
    echo 'nvtop -s: there is no nvtop here (NVTOP=PATH names one)'
  fi
done
