// Where tests find the sources, the built program and the further inputs that are not part of the repository.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gpuwright::tests {

/// The repository's folder, without a slash at its end.
std::string source_dir();

/// The built program; empty when this build has none.
std::string program();

/// The folder of the simulated libnvidia-ml.so.1, with older drivers' ones in folders below; empty when this
/// build has none.
std::string fakegpu_folder();

/// The folder of further inputs: $GPUWRIGHT_SHARED, else `shared` beside the repository; empty when there is
/// none. Tests that need it skip visibly.
std::string shared_dir();

/// The whole file; a failed expectation and an empty text when it cannot be read.
std::string read_file(const std::string& path);

}  // namespace gpuwright::tests
