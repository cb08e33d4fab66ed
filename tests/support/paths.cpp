// The only test file that is compiled with the checkout's place in it.
// SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#ifndef GPUWRIGHT_PROGRAM
#define GPUWRIGHT_PROGRAM ""
#endif
#ifndef GPUWRIGHT_FAKEGPU_FOLDER
#define GPUWRIGHT_FAKEGPU_FOLDER ""
#endif

namespace gpuwright::tests {

std::string source_dir() {
  return GPUWRIGHT_SOURCE_DIR;
}

std::string program() {
  return GPUWRIGHT_PROGRAM;
}

std::string fakegpu_folder() {
  return GPUWRIGHT_FAKEGPU_FOLDER;
}

std::string shared_dir() {
  const char* named = std::getenv("GPUWRIGHT_SHARED");
  const std::string folder =
      named != nullptr ? named : source_dir() + "/../shared";  // GPUWRIGHT_SHARED's default
  std::error_code error;
  return std::filesystem::is_directory(folder, error) ? folder : std::string();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace gpuwright::tests
