#!/bin/bash
# TypeScript's own check of the page, and that its lock file names no registry: types.sh WEB BUILT.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/web/modules.sh
source "$here/modules.sh"
if grep -nE '"resolved"|https?://[^"]*registry' "$1/package-lock.json"; then echo "the lock file names a registry"; exit 1; fi
modules=$(fetch_modules "$1" "$2")
# The sources are checked where they stand; libraries are found where they were fetched.
sed "s|\"include\": .*|\"include\": [\"$1/src\"]|; s|\"noEmit\": true,|\"noEmit\": true, \"baseUrl\": \"$modules\", \"paths\": {\"*\": [\"*\"]},|" \
  "$1/tsconfig.json" >"$2/tsconfig.json"
exec "$modules/.bin/tsc" -p "$2/tsconfig.json"
