#!/bin/bash
# What watching costs, beside Debian's node exporter on the same machine in the same run: serve.sh. Eight simulated H100, all children counted.
# In turns: scrapes one after the other (p50, p99, processor time each), as many as eight connections get, with and without gzip; memory; and
# what the daemon takes at its defaults while nobody asks, and while Prometheus does every 15 s. SECONDS_EACH (default 10) a measurement.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${PROGRAM:-$root/build/perf/gpuwright}
library=${LIBRARY:-$root/build/perf/fakegpu/libnvidia-ml.so.1}
seconds=${SECONDS_EACH:-10} idle=${SECONDS_IDLE:-60}
folder=$(mktemp -d)
ours='' theirs=''
finish() {
  local pid
  for pid in $ours $theirs; do kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
ticks=$(getconf CLK_TCK)

tree() { # PID: it and its children
  local pid children
  echo "$1"
  children=$(cat /proc/"$1"/task/*/children 2>/dev/null || true)
  for pid in $children; do tree "$pid"; done
}
cpu_of() { # PID: seconds of it, its children, and those that have ended
  local pid sum=0
  for pid in $(tree "$1"); do
    sum=$((sum + $(awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$pid/stat" 2>/dev/null || echo 0)))
  done
  awk -v t="$sum" -v hz="$ticks" 'BEGIN { print t / hz }'
}
memory_of() { # PID
  local pid
  for pid in $(tree "$1"); do cat "/proc/$pid/smaps_rollup" 2>/dev/null || true; done |
    awk '/^Rss/ { r += $2 } /^Pss:/ { p += $2 } END { printf "%.1f MB RSS summed, %.1f MB PSS", r / 1024 * 1.048576, p / 1024 * 1.048576 }'
}
ask() { # LABEL PID URL CONNECTIONS HEADER
  local before after
  before=$(cpu_of "$2")
  wrk -t1 -c"$4" -d"${seconds}s" --latency ${5:+-H "$5"} "$3" >"$folder/wrk"
  after=$(cpu_of "$2")
  awk -v label="$1" -v cpu="$(awk -v a="$after" -v b="$before" 'BEGIN { print a - b }')" '
    $1 == "50%" { p50 = $2 } $1 == "99%" { p99 = $2 } /requests in/ { n = $1 } /^Requests\/sec/ { rate = $2 }
    /Non-2xx/ { bad = " (" $0 ")" }
    END { printf "%-46s p50 %-9s p99 %-9s %9.1f requests/s  %7.3f ms of a processor each%s\n", label, p50, p99, rate, 1000 * cpu / n, bad }' "$folder/wrk"
}
share() { # LABEL PID SECONDS
  local before after
  before=$(cpu_of "$2")
  sleep "$3"
  after=$(cpu_of "$2")
  awk -v label="$1" -v cpu="$(awk -v a="$after" -v b="$before" 'BEGIN { print a - b }')" -v s="$3" 'BEGIN { printf "%-46s %.3f %% of a processor\n", label, 100 * cpu / s }'
}

mkdir "$folder/run"
export RUNTIME_DIRECTORY=$folder/run GPUWRIGHT_NVML=$library GPUWRIGHT_FAKEGPU=$folder/scenario
printf 'boards 8 h100-sxm\nload 60\nprocess 0 4711 python3 40GiB\n' >"$folder/scenario"
our_port=$(free_port) their_port=$(free_port)
options=()
! "$program" serve --help | grep -q -- --history || options+=(--history "$folder/history.db")
"$program" serve --listen "127.0.0.1:$our_port" "${options[@]}" 2>"$folder/ours" & ours=$!
prometheus-node-exporter --web.listen-address="127.0.0.1:$their_port" >"$folder/theirs" 2>&1 & theirs=$!
our_url=http://127.0.0.1:$our_port/metrics their_url=http://127.0.0.1:$their_port/metrics
for ((i = 0; i < 100; ++i)); do
  ! { curl -sf "http://127.0.0.1:$our_port/readyz" && curl -sf "$their_url"; } >/dev/null || break
  sleep 0.1
done
sleep 12 # both looks of the machine at the start are over
echo "$(nproc) processors, load $(cut -d' ' -f1-3 /proc/loadavg); bytes of an answer: $(curl -s "$our_url" | wc -c), node exporter $(curl -s "$their_url" | wc -c)"
for turn in 1 2; do
  ask "$turn: one after the other" $ours "$our_url" 1 ''
  ask "$turn: node exporter, the same" $theirs "$their_url" 1 ''
  ask "$turn: eight connections" $ours "$our_url" 8 ''
  ask "$turn: node exporter, the same" $theirs "$their_url" 8 ''
  ask "$turn: eight connections, gzip" $ours "$our_url" 8 'Accept-Encoding: gzip'
  ask "$turn: node exporter, the same" $theirs "$their_url" 8 'Accept-Encoding: gzip'
done
echo "memory after that: $(memory_of $ours); node exporter: $(memory_of $theirs)"
share "nobody asks, defaults" $ours "$idle"
(for ((i = 0; i < idle / 15; ++i)); do curl -s "$our_url" >/dev/null; curl -s "$their_url" >/dev/null; sleep 15; done) & asking=$!
share "asked every 15 s, defaults" $ours "$idle"
share "node exporter, asked every 15 s" $theirs "$idle"
wait "$asking" || true
