#!/bin/bash
# Mixing units or ids must not compile. check.sh COMPILER SOURCE_FOLDER FILE...: each file compiles with -DCONTROL (so that it fails
# for no other reason) and does not compile without.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
compiler=$1 include=$2
shift 2
failed=0
for file in "$@"; do
  if ! "$compiler" -std=c++20 -fsyntax-only -Wall -I "$include" -DCONTROL "$file"; then
    echo "$file: the control does not compile"; failed=1
  elif "$compiler" -std=c++20 -fsyntax-only -Wall -I "$include" "$file" 2>/dev/null; then
    echo "$file: compiles, and must not"; failed=1
  fi
done
exit $failed
