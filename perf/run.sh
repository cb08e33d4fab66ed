#!/bin/bash
# How fast doctor reads, beside ripgrep searching the same text for a few of the same words: a sparse log (one fault line in ten thousand) and a
# storm (every second line an Xid). Prints the best of RUNS (default 5) and the peak memory. docs/measurements.md holds the figures of record.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${GPUWRIGHT_PROGRAM:-$root/build/perf/gpuwright}
runs=${RUNS:-5}
data=$root/build/perf/data
mkdir -p "$data"

benign_or_fault() {  # LINES FAULT_EVERY
  awk -v lines="$1" -v every="$2" 'BEGIN {
    srand(7)
    for (i = 0; i < lines; ++i) {
      printf "[%12.6f] ", 100 + i * 0.0007
      if (i % every == every - 1) {
        printf "NVRM: Xid (PCI:0000:%02x:00): 31, pid=%d, name=python3, Ch %08x, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_%08x. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ\n", 16 + i % 8 * 16, 4000 + i % 8, i % 32, rand() * 1e9
      } else if (i % 3 == 0) printf "IPv6: ADDRCONF(NETDEV_CHANGE): veth%07x: link becomes ready\n", rand() * 1e8
      else if (i % 3 == 1) printf "audit: type=1400 audit(1762%06d.%03d:%d): apparmor=\"STATUS\" operation=\"profile_replace\" profile=\"unconfined\" name=\"cri-containerd.apparmor.d\"\n", i % 1000000, i % 1000, i
      else printf "cni0: port %d(veth%07x) entered forwarding state\n", i % 60, rand() * 1e8
    }
  }'
}
[[ -f $data/sparse.log ]] || benign_or_fault 2000000 10000 >"$data/sparse.log"
[[ -f $data/storm.log ]] || benign_or_fault 1000000 2 >"$data/storm.log"
printf 'NVRM: Xid\nSXid (PCI\nNCCL WARN\nCUDA error\nout of memory\nfallen off the bus\nI/O error\nblocked for more than\n' >"$data/words"

best() {  # LABEL FILE COMMAND...
  local label=$1 file=$2 seconds best=999999 bytes i
  shift 2
  TIMEFORMAT=%R
  for ((i = 0; i < runs; ++i)); do
    seconds=$( { time { "$@" >/dev/null 2>&1 || true; }; } 2>&1)
    best=$(printf '%s\n%s\n' "$seconds" "$best" | sort -g | head -n 1)
  done
  bytes=$(stat -c %s "$file")
  awk -v label="$label" -v bytes="$bytes" -v s="$best" 'BEGIN { printf "%-34s %8.3f s  %7.0f MB/s\n", label, s, bytes / 1e6 / s }'
}
for kind in sparse storm; do
  file=$data/$kind.log
  best "$kind: gpuwright doctor" "$file" "$program" doctor "$file"
  best "$kind: rg -c, 8 literals" "$file" rg -c -j 1 --no-mmap -F -f "$data/words" "$file"
done
printf 'RAS: nothing here\n' >"$data/one-line.log"
best "one line: gpuwright doctor" "$data/one-line.log" "$program" doctor "$data/one-line.log"
# Peak memory, from the kernel's own account of the program.
for kind in sparse storm; do
  "$program" doctor "$data/$kind.log" >/dev/null 2>&1 & pid=$!
  peak=0
  while [[ -r /proc/$pid/status ]]; do
    now=$(awk '/^VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null || true)
    [[ -z $now || $now -lt $peak ]] || peak=$now
    sleep 0.01
  done
  wait "$pid" || true
  printf '%-34s %8d KiB peak\n' "$kind: gpuwright doctor" "$peak"
done
