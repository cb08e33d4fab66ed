#!/bin/bash
# The house's walls: which room may include which, where third-party headers may stand, how long a file may be, what it must open
# with, and which parts of the standard library stay outside. check.sh ROOT prints one line per breach and fails if there is one.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$1"

# Room: rooms it may include besides itself. docs/ARCHITECTURE.md has the same table.
declare -A may=(
  [base]=""
  [kit]="base"
  [model]="base"
  [catalog]="base kit model"
  [parse]="base kit model catalog"
  [host]="base kit model"
  [facts]="base kit model catalog parse host"
  [rules]="base model catalog"
  [sizing]="base model catalog"
  [schedule]="base model catalog"
  [profile]="base model catalog"
  [artifacts]="base model catalog"
  [report]="base model catalog kit"
  [setup]="base kit model catalog facts host rules artifacts"
  [bench]="base kit model catalog facts host parse"
  [jobs]="base kit model catalog facts host rules artifacts schedule"
  [watch]="base kit model catalog parse facts host rules"
  [server]="base kit model catalog report watch"
  [app]="base kit model catalog parse host facts rules sizing schedule profile artifacts report setup bench jobs watch server"
)
breaches=0
breach() { printf '%s\n' "$*"; breaches=$((breaches + 1)); }

# System headers: C and POSIX names end in .h or lie under these folders; C++ ones have neither dot nor slash.
system_header='^(sys|linux|arpa|net|netinet|asm|bits)/|^[a-z0-9_]+$|^(dlfcn|dirent|errno|fcntl|fnmatch|glob|grp|immintrin|langinfo|limits|poll|pthread|pwd|sched|signal|spawn|stdlib|string|termios|time|unistd|arm_neon)\.h$'
banned_header='^(regex|iostream|locale|codecvt|format|expected|source_location|ranges)$'

check_include() {
  local file=$1 room=$2 line=$3 target other
  if [[ $line =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*\"([^\"]+)\" ]]; then
    target=${BASH_REMATCH[1]}
    other=${target%%/*}
    [[ $other != "$room" ]] || return 0
    [[ " ${may[$room]} " == *" $other "* ]] || breach "$file: room $room may not include $target"
  elif [[ $line =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*\<([^\>]+)\> ]]; then
    target=${BASH_REMATCH[1]}
    if [[ $target =~ $banned_header ]]; then breach "$file: <$target> is not used here"; return 0; fi
    [[ $target != fmt/* && ! $target =~ $system_header ]] || return 0
    [[ $room == kit && $file == *.cpp ]] && return 0
    [[ $room == app && $target == CLI/* ]] && return 0
    breach "$file: <$target> belongs in src/kit/*.cpp"
  fi
}

check_file() {
  local file=$1 room limit count line
  room=${file#src/}
  room=${room%%/*}
  [[ -n ${may[$room]+known} ]] || { breach "$file: room $room is not in the table"; return 0; }
  limit=600
  [[ $file != *.h ]] || limit=300
  count=$(wc -l <"$file")
  [[ $count -le $limit ]] || breach "$file: $count lines, the budget is $limit"
  [[ $(head -n 1 "$file") == //* ]] || breach "$file: opens without a comment on its subject"
  [[ $file != *.h ]] || grep -q '^#pragma once' "$file" || breach "$file: no #pragma once"
  while IFS= read -r line; do check_include "$file" "$room" "$line"; done < <(grep -E '^[[:space:]]*#[[:space:]]*include' "$file" || true)
  while IFS= read -r line; do breach "$file:$line"; done < <(
    grep -nE '\bstd::(regex|format|expected|views|ranges::views|source_location)\b|\bsscanf\(|\busing namespace std\b' "$file" |
      grep -vE '^[0-9]+:[[:space:]]*//' || true)
  # A wrapper may throw where its library calls back into it, and catches what it threw.
  [[ $room != kit ]] || return 0
  while IFS= read -r line; do breach "$file:$line"; done < <(grep -nE '^[[:space:]]*throw[ ;]' "$file" || true)
}

# The licence stands on a line of its own, where tools look for it.
check_licence() {
  head -n 24 "$1" | grep -qx '// SPDX-License-Identifier: Apache-2\.0' || breach "$1: no licence line"
}

while IFS= read -r file; do check_file "$file"; done < <(find src -type f \( -name '*.cpp' -o -name '*.h' \) ! -path 'src/app/main.cpp' | sort)
folders=()
for folder in src tests perf fakegpu; do [[ ! -d $folder ]] || folders+=("$folder"); done
while IFS= read -r file; do check_licence "$file"; done < <(
  find "${folders[@]}" -type f \( -name '*.cpp' -o -name '*.h' \) ! -path '*/fixture/*' | sort)
# The simulated library is a program of its own: of ours it uses base and the declarations of NVML.
while IFS= read -r line; do breach "$line: fakegpu may include only base/ and host/nvml_*.h"; done < <(
  [[ ! -d fakegpu ]] || grep -rnE --include='*.cpp' --include='*.h' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' fakegpu |
    grep -vE '"(base/|fakegpu/|host/nvml_)' || true)
if [[ $breaches -gt 0 ]]; then printf '%d breaches of the house rules\n' "$breaches"; exit 1; fi
