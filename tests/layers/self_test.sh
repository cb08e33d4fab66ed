#!/bin/bash
# Shows that check.sh fails where it should: every breach planted in fixture/ is named, nothing else is, and an overlong file is.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cp -r "$here/fixture/." "$tree/"
{ printf '// A source that grew.\n// SPDX-License-Identifier: Apache-2.0\n'; printf '\n%.0s' $(seq 599); } >"$tree/src/base/long.cpp"
{ printf '// A header that grew.\n// SPDX-License-Identifier: Apache-2.0\n#pragma once\n'; printf '\n%.0s' $(seq 298); } >"$tree/src/base/long.h"

if found=$("$here/check.sh" "$tree"); then echo "check.sh passed a tree full of breaches"; exit 1; fi
wanted='src/attic/old.cpp: room attic is not in the table
src/base/long.cpp: 601 lines, the budget is 600
src/base/long.h: 301 lines, the budget is 300
src/base/slow.cpp: <regex> is not used here
src/base/slow.cpp:4:bool slow(const char* text) { return std::regex_match(text, std::regex("a")); }
src/base/unsigned_file.cpp: no licence line
src/base/unsigned_file.cpp: opens without a comment on its subject
src/kit/leaks.h: <re2/re2.h> belongs in src/kit/*.cpp
src/model/no_guard.h: no #pragma once
src/model/wrapped_licence.h: no licence line
src/parse/third_party.cpp: <yaml-cpp/yaml.h> belongs in src/kit/*.cpp
src/rules/touches_host.cpp: room rules may not include host/source.h
tests/rules/unsigned.cpp: no licence line'
if ! diff <(printf '%s\n' "$wanted") <(printf '%s\n' "$found" | grep -v 'breaches of the house rules' | LC_ALL=C sort); then
  echo "check.sh did not name exactly the planted breaches"
  exit 1
fi
