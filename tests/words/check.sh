#!/bin/bash
# The repository speaks of gpuwright alone: no folder, host or tool of the places it is built in, no package mirror by name, no
# private key. check.sh ROOT prints each line that does otherwise. Brackets in the expressions keep them from matching themselves.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$1"
files() {
  if [[ -e .git ]]; then git ls-files -co --exclude-standard; else find . -type f ! -path './build/*' | sed 's|^\./||'; fi
}
folders='(^|[^A-Za-z0-9_.])/([w]ork|[f]arm)/|[b]ash_jobs|[.]library/|[f]arm-'
mirrors='([d]eb|[s]ecurity|[s]napshot|[f]tp)[.]debian[.]org|[r]egistry[.]npmjs|[a]rchive[.]ubuntu'
authors='[C]o-Authored-By|[A]nthropic|[C]laude|[C]hatGPT|[C]opilot'
secrets='-----BEGIN [A-Z ]*PRIVATE [K]EY'
failed=0
if files | tr '\n' '\0' | xargs -0 grep -nIE -e "$folders|$mirrors|$authors|$secrets" --; then failed=1; fi
# The folder of further inputs is named only where its variable is.
if files | tr '\n' '\0' | xargs -0 grep -nIE -e '\.\./[s]hared' -- | grep -v GPUWRIGHT_SHARED; then failed=1; fi
[[ $failed -eq 0 ]] || echo "the lines above name what does not belong in the repository"
exit $failed
