#!/bin/bash
# Gives each target its time, one a processor (or AT_ONCE of them): all.sh FOLDER SECONDS NAME... What build/fuzz/record.csv says
# that a target has had already is taken off, so that a run which was stopped (TERM: all of it stops, and is recorded) goes on where it was.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
folder=$1 seconds=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
record=$(cd "$here/../.." && pwd)/build/fuzz/record.csv
[[ -s $record ]] || echo 'target,seconds,cpu_seconds,runs,crashes' >"$record"

# of NAME COLUMN: the sum over the target's rows.
of() { awk -F, -v name="$1" -v column="$2" '$1 == name { sum += $column } END { printf "%d\n", sum }' "$record"; }

running=() failed=0 at_once=${AT_ONCE:-$(nproc)}
still_running() {
  local pid alive=()
  for pid in "${running[@]}"; do
    if kill -0 "$pid" 2>/dev/null; then alive+=("$pid"); else wait "$pid" || failed=1; fi
  done
  running=("${alive[@]}")
}
trap 'kill "${running[@]}" 2>/dev/null || true; wait; exit 143' TERM INT

for name in "$@"; do
  left=$((seconds - $(of "$name" 2)))
  [[ $left -gt 0 ]] || continue
  while still_running; [[ ${#running[@]} -ge $at_once ]]; do sleep 1 & wait $!; done
  "$here/one.sh" "$folder" "$name" "$left" &
  running+=($!)
done
while still_running; [[ ${#running[@]} -gt 0 ]]; do sleep 1 & wait $!; done

for name in "$@"; do
  printf '%-28s %6d s (%6d s of a processor) %10d runs %3d crashes\n' "$name" "$(of "$name" 2)" "$(of "$name" 3)" \
    "$(of "$name" 4)" "$(of "$name" 5)" >&2
done
exit "$failed"
