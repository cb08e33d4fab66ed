#!/bin/bash
# Interrupts the program at random moments: kill.sh PROGRAM RUNS. After SIGTERM and SIGINT it must be gone within two seconds; no signal may leave
# anything behind in its folder for temporary files, nor harm the evidence; and the next whole run must say what the first one said.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=$1 runs=$2
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
"$program" doctor --json "$folder/logs.tar.gz" >"$folder/first.json" || [[ $? -eq 1 ]]

for ((i = 0; i < runs; ++i)); do
  signals=(TERM INT KILL)
  signal=${signals[i % 3]}
  # A background job of a script ignores SIGINT unless told otherwise.
  env --default-signal=INT "$program" doctor --json "$folder/logs.tar.gz" >/dev/null 2>&1 &
  pid=$!
  sleep "0.0$((RANDOM % 90 + 10))"
  kill -"$signal" "$pid" 2>/dev/null || true
  for ((wait_tenths = 0; wait_tenths < 20; ++wait_tenths)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  if kill -0 "$pid" 2>/dev/null; then echo "run $i: still there 2 s after SIG$signal"; kill -KILL "$pid"; exit 1; fi
  wait "$pid" 2>/dev/null || true
  if [[ -n $(find "$folder/tmp" -mindepth 1 -print -quit) ]]; then echo "run $i: SIG$signal left behind:"; ls -lR "$folder/tmp"; exit 1; fi
done
[[ $(sha256sum "$folder/logs.tar.gz") == "$before" ]] || { echo "the evidence has changed"; exit 1; }
"$program" doctor --json "$folder/logs.tar.gz" >"$folder/last.json" || [[ $? -eq 1 ]]
cmp "$folder/first.json" "$folder/last.json"
