#!/bin/bash
# The page in headless Chromium, as gpuwright itself serves it from simulated GPUs: browser.sh WEB BUILT GPUWRIGHT LIBNVIDIA-ML.
# Screenshots stay in BUILT/screenshots.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/web/modules.sh
source "$here/modules.sh"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $chromium ]]; then echo "skipped: chromium is not installed (./dev packages browser)"; exit 77; fi
modules=$(fetch_modules "$1" "$2")
rm -rf "$2/screenshots"
mkdir -p "$2/screenshots"
GPUWRIGHT_MODULES=$modules GPUWRIGHT_CHROMIUM=$chromium GPUWRIGHT_SHOTS=$2/screenshots GPUWRIGHT_PROGRAM=$3 GPUWRIGHT_NVML=$4 \
  exec node --test --test-concurrency=1 "$here/browser.test.mjs"
