#!/bin/bash
# Interrupts the program at random moments: kill.sh PROGRAM RUNS. SIGTERM, SIGINT and SIGKILL must end it where it stands, not when its work is
# done; no signal may leave anything behind in its folder for temporary files, nor harm the evidence; and the next whole run must say what the
# first one said.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=$(readlink -f "$1") runs=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tmp" "$folder/logs"
export TMPDIR=$folder/tmp
awk 'BEGIN { for (i = 0; i < 400000; ++i)
  printf "[%12.6f] NVRM: Xid (PCI:0000:%02x:00): 31, pid=%d, name=python3, Ch %08x, intr 00000000.\n", i / 1000, 16 + i % 8 * 16, i % 900, i % 64 }' \
  >"$folder/logs/kern.log"
gzip -k "$folder/logs/kern.log"
tar -C "$folder/logs" -czf "$folder/logs.tar.gz" kern.log kern.log.gz
before=$(sha256sum "$folder/logs.tar.gz")
began=$(date +%s%N)
"$program" doctor --json "$folder/logs.tar.gz" >"$folder/first.json" || [[ $? -eq 1 ]]
whole_ms=$((($(date +%s%N) - began) / 1000000))

signals=(TERM INT KILL)
interrupted=(0 0 0)
for ((i = 0; i < runs; ++i)); do
  signal=${signals[i % 3]}
  env --default-signal=INT "$program" doctor --json "$folder/logs.tar.gz" >/dev/null 2>&1 &
  pid=$!
  # Until env has put the program in its place, SIGINT is ignored, as in every background job of a script; on a busy machine that takes long.
  while [[ -e /proc/$pid && $(readlink "/proc/$pid/exe") != "$program" ]]; do sleep 0.01; done
  delay_ms=$((RANDOM % whole_ms))
  sleep "$((delay_ms / 1000)).$(printf %03d $((delay_ms % 1000)))"
  kill -"$signal" "$pid" 2>/dev/null || true
  for ((tenths = 0; tenths < 100; ++tenths)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  if kill -0 "$pid" 2>/dev/null; then echo "run $i: still there 10 s after SIG$signal"; kill -KILL "$pid"; exit 1; fi
  status=0
  wait "$pid" 2>/dev/null || status=$?
  if [[ $status -eq $((128 + $(kill -l "$signal"))) ]]; then
    interrupted[i % 3]=$((interrupted[i % 3] + 1))
  elif [[ $status -gt 1 ]]; then
    echo "run $i: SIG$signal gave exit status $status"; exit 1
  fi
  if [[ -n $(find "$folder/tmp" -mindepth 1 -print -quit) ]]; then echo "run $i: SIG$signal left behind:"; ls -lR "$folder/tmp"; exit 1; fi
done
# Some runs are done before their signal; a signal that never ends one is ignored.
echo "of $runs runs were interrupted by SIGTERM ${interrupted[0]}, SIGINT ${interrupted[1]}, SIGKILL ${interrupted[2]}"
[[ $runs -lt 30 || (${interrupted[0]} -gt 0 && ${interrupted[1]} -gt 0 && ${interrupted[2]} -gt 0) ]]
[[ $(sha256sum "$folder/logs.tar.gz") == "$before" ]] || { echo "the evidence has changed"; exit 1; }
"$program" doctor --json "$folder/logs.tar.gz" >"$folder/last.json" || [[ $? -eq 1 ]]
cmp "$folder/first.json" "$folder/last.json"
