// The whole way: bytes in, diagnosis out, in two pieces so that lines and blocks break at the border.
// SPDX-License-Identifier: Apache-2.0
#include "base/stream.h"
#include "parse/recogniser.h"
#include "rules/diagnose.h"

#include "support/fuzz.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto& knowledge = gpuwright::fuzz::knowledge();
  static auto* const kept =
      new gpuwright::parse::Recogniser(knowledge);  // to make one takes longer than to use it
  gpuwright::parse::Recogniser& recogniser = *kept;
  gpuwright::base::MemoryStream whole(gpuwright::fuzz::own_copy(data, size));
  gpuwright::base::MemoryStream half(gpuwright::fuzz::own_copy(data, size / 2));
  (void)recogniser.add("whole", whole).ok();
  (void)recogniser.add("half", half).ok();
  const gpuwright::model::Observations observations = recogniser.finish();
  gpuwright::fuzz::check_bounds(observations);
  (void)gpuwright::rules::diagnose(observations, knowledge);
  return 0;
}
