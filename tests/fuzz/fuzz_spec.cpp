// A spec that somebody wrote: what is accepted is written back the same, what is refused is told in bounds.
// SPDX-License-Identifier: Apache-2.0
#include "parse/spec.h"
#include "report/spec_text.h"
#include "report/spec_yaml.h"
#include "rules/spec_diff.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuwright;
  const std::string text = fuzz::own_copy(data, size);
  const parse::SpecReading reading = parse::parse_spec(text, "fuzz.yaml", fuzz::knowledge());
  if (reading.problems.size() > 50) std::abort();
  for (const auto language : {catalog::Language::English, catalog::Language::Chinese}) {
    for (const std::string& line :
         {report::spec_problems_text("fuzz.yaml", reading.problems, reading.more_problems, language)}) {
      if (line.size() > 200'000) std::abort();
    }
  }
  if (!reading.ok()) return 0;
  const std::string written = report::spec_yaml(reading.spec, fuzz::knowledge(), {});
  const parse::SpecReading again = parse::parse_spec(written, "fuzz.yaml", fuzz::knowledge());
  if (!again.ok() || !rules::compare_specs(reading.spec, again.spec, fuzz::knowledge()).empty()) std::abort();
  return 0;
}
