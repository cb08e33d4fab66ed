// Files that a test keeps equal to what the program makes. GPUWRIGHT_APPROVE=1 in the environment writes them
// anew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gpuwright::tests {

/// The file below the repository's folder holds exactly this text.
void expect_file(const std::string& name, const std::string& text);

/// The file holds this text between the line that begins with `mark` and the line "<!-- end -->".
void expect_part_of_file(const std::string& name, const std::string& mark, const std::string& text);

}  // namespace gpuwright::tests
