// The catalog that a command uses: embedded, or from `--data DIR`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"

#include <string>

namespace gpuwright::app {

/// `folder` empty: the embedded knowledge.
inline base::Result<catalog::Catalog> load_catalog(const std::string& folder) {
  return folder.empty() ? catalog::Catalog::embedded() : catalog::Catalog::from_folder(folder);
}

/// "zh" is Chinese, anything else English.
inline catalog::Language language_of(const std::string& name) {
  return name == "zh" ? catalog::Language::Chinese : catalog::Language::English;
}

}  // namespace gpuwright::app
