// The same calls as src/app/doctor makes, without the command line.
// SPDX-License-Identifier: Apache-2.0
#include "support/diagnose.h"

#include "base/stream.h"
#include "host/inputs.h"
#include "parse/recogniser.h"
#include "rules/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gpuwright::tests {

const catalog::Catalog& knowledge() {
  static const catalog::Catalog* const loaded = [] {
    auto result = catalog::Catalog::embedded();
    if (!result.ok()) {
      std::fprintf(stderr, "%s\n", result.error().text().c_str());
      std::abort();
    }
    return new catalog::Catalog(std::move(result).value());
  }();
  return *loaded;
}

model::Diagnosis diagnose(const std::vector<NamedText>& texts) {
  parse::Recogniser recogniser(knowledge());
  for (const NamedText& one : texts) {
    base::MemoryStream stream(one.text);
    const base::Status status = recogniser.add(one.name, stream);
    EXPECT_TRUE(status.ok()) << one.name;
  }
  return rules::diagnose(recogniser.finish(), knowledge());
}

model::Diagnosis diagnose(const std::string& text) {
  return diagnose({{"text", text}});
}

model::Diagnosis diagnose_file(const std::string& path) {
  auto inputs = host::open_inputs({path});
  EXPECT_TRUE(inputs.ok()) << (inputs.ok() ? "" : inputs.error().text());
  parse::Recogniser recogniser(knowledge());
  if (inputs.ok()) {
    for (host::Document& document : inputs->documents) {
      EXPECT_TRUE(recogniser.add(document.name, *document.content).ok()) << document.name;
    }
  }
  return rules::diagnose(recogniser.finish(), knowledge());
}

std::string summary(const model::Diagnosis& diagnosis) {
  std::string out;
  for (const model::Finding& finding : diagnosis.findings) {
    out += (out.empty() ? "" : "; ") + finding.cause + " on " +
           (finding.subject.id.empty() ? "this machine" : finding.subject.id);
  }
  return out.empty() ? "nothing" : out;
}

bool has_cause(const model::Diagnosis& diagnosis, const std::string& cause) {
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [&](const model::Finding& finding) { return finding.cause == cause; });
}

}  // namespace gpuwright::tests
