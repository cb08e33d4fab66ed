// The whole way from texts to a diagnosis, as `gpuwright doctor` goes it, with the embedded knowledge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"

#include <string>
#include <vector>

namespace gpuwright::tests {

struct NamedText {
  std::string name;
  std::string text;
};

/// The embedded knowledge, loaded once. Ends the test program when it is damaged.
const catalog::Catalog& knowledge();

/// Everything that was said, recognised and judged together.
model::Diagnosis diagnose(const std::vector<NamedText>& texts);

/// One file or folder on disk, read as `gpuwright doctor PATH` reads it (archives included).
model::Diagnosis diagnose_file(const std::string& path);

/// One text.
model::Diagnosis diagnose(const std::string& text);

/// "cause on subject; cause on subject" of the findings, for messages.
std::string summary(const model::Diagnosis& diagnosis);

/// True when a finding has that cause.
bool has_cause(const model::Diagnosis& diagnosis, const std::string& cause);

}  // namespace gpuwright::tests
