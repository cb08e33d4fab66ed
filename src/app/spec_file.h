// The spec that a command was given: read, checked, and its faults told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command.h"
#include "catalog/catalog.h"
#include "parse/spec.h"

#include <string>

namespace gpuwright::app {

/// Reads the file ("-": standard input). Errors: as opening and reading it; not the faults of what stands in
/// it.
base::Result<parse::SpecReading> read_spec_file(const std::string& path, const catalog::Catalog& catalog);

/// The same; a spec with faults is an error whose message tells the first of them and how many there are.
base::Result<model::Spec> load_spec(const std::string& path, const catalog::Catalog& catalog);

}  // namespace gpuwright::app
