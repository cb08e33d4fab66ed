#!/bin/bash
# How fast the HTTP server gives a static text of BYTES (default 60000) to wrk with one thread, SECONDS (default 4) for each number of
# connections: requests a second, latency, CPU of the server for each request, and its memory. wrk needs a processor of its own.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tool=${TOOL:-$root/build/perf/http_perf}
seconds=${SECONDS_EACH:-4}
work=$(mktemp -d)
"$tool" "${BYTES:-60000}" >"$work/port" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [[ ! -s $work/port ]] || break; sleep 0.05; done
port=$(cat "$work/port")
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) processors"
for connections in ${CONNECTIONS:-1 16 64}; do
  before=$(ticks)
  said=$(wrk -t1 -c"$connections" -d"${seconds}s" --latency "http://127.0.0.1:$port/metrics")
  after=$(ticks)
  awk -v c="$connections" -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" '
    /50%/ { p50 = $2 } /99%/ { p99 = $2 } /requests in/ { n = $1 } /Requests\/sec/ { rate = $2 } /Non-2xx|Socket errors/ { bad = bad " " $0 }
    END { printf "%3d connections: %6.0f requests/s, p50 %s, p99 %s, %.1f us of a processor each%s\n", c, rate, p50, p99, ticks / hz * 1e6 / n, bad }' <<<"$said"
done
grep -E 'VmHWM|VmRSS' "/proc/$server/status"
grep -E '^Pss:' "/proc/$server/smaps_rollup"
