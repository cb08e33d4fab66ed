// Knowledge that somebody wrote: `--data DIR` reads YAML and packs alike.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/builder.h"
#include "catalog/knowledge.h"
#include "catalog/pack.h"
#include "kit/yaml.h"

#include "support/fuzz.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = gpuwright::fuzz::own_copy(data, size);
  (void)gpuwright::catalog::unpack_catalog(text).ok();
  auto tree = gpuwright::kit::parse_yaml(text, "fuzz.yaml");
  if (!tree.ok()) return 0;
  for (const char* name : {"signatures/fuzz.yaml", "causes/fuzz.yaml", "formats.yaml"}) {
    (void)gpuwright::catalog::build_catalog({{name, *tree}}).ok();
  }
  return 0;
}
