// Versions and image names as a machine or a file may have them: any text gets an answer.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "rules/compat_image.h"
#include "rules/compat_software.h"

#include "support/fuzz.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuwright;
  static const base::Result<catalog::Catalog> kCatalog = catalog::Catalog::embedded();
  const catalog::Compat& compat = kCatalog.value().compat();
  const std::string text = fuzz::own_copy(data, size);
  const std::string first = text.substr(0, text.find('\n'));
  const std::string second = first.size() < text.size() ? text.substr(first.size() + 1) : std::string();
  (void)rules::image_tag_fits(compat, text);
  (void)rules::image_cuda(compat, text);
  (void)rules::driver_runs_cuda(compat, {first, second, true, true});
  (void)rules::branch_life(compat, first, second, {});
  (void)rules::gpu_kind(compat, rules::GpuIds{first, second, second});
  (void)rules::cudnn_fits(compat, {first, second, "9.0"});
  (void)rules::torch_runs_on(compat, {first, second, "x86_64"}, "9.0");
  (void)rules::tensorflow_runs_on(compat, first, second);
  (void)rules::os_fits(compat, {"ubuntu", first, second});
  return 0;
}
