// The driver is a set of pieces that must agree: module, libraries, services. Source: NVIDIA driver
// installation guide; Fabric Manager user guide.
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_driver.h"

namespace gpuwright::rules {

model::Verdict check_library_matches_module(Look look, const Situation& situation) {
  const model::DriverFacts& driver = situation.machine.driver;
  if (!has_gpu(situation.machine)) return look.not_applicable();
  const std::string* module = look.need(driver.loaded_version);
  const std::string* library = look.need(driver.library_version);
  if (module != nullptr && library != nullptr && *module != *library) {
    look.fails("driver.library_differs")
        .with("module", *module)
        .with("library", *library)
        .proof(driver.loaded_version)
        .proof(driver.library_version);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
