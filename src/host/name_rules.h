// Rules for process names, apart from the other labelled names only because there are many; see name_spans.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/name_spans.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace gpuwright::host::rules {

/// Adds [begin, end) without outer spaces, unless everybody runs a process of that name.
void add_process(std::string_view line, std::size_t begin, std::size_t end, std::vector<NameSpan>& spans);

/// Begin of the name that ends at `end`, backwards to a space; kernel names may hold anything else.
std::size_t word_start(std::string_view line, std::size_t end);

/// Process names that one line gives away by itself. `low` is the line in lower case.
void processes(std::string_view line, std::string_view low, std::vector<NameSpan>& spans);

}  // namespace gpuwright::host::rules
