# Sourced: fetch_modules WEB BUILT fetches all that web/package-lock.json names, tests' tools included, once, and says where. Exits 77,
# which is a visible skip, where npm cannot fetch it.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
fetch_modules() {
  local web=$1 folder=$2/test-modules
  if ! cmp -s "$web/package-lock.json" "$folder/fetched.json"; then
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$web/package.json" "$web/package-lock.json" "$web/.npmrc" "$folder"
    if ! npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
      echo "skipped: npm could not fetch what the tests of the page need" >&2
      exit 77
    fi
    cp "$web/package-lock.json" "$folder/fetched.json"
  fi
  echo "$folder/node_modules"
}
