// The files of the page, as they were built into the binary (web/).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/content.h"

#include <optional>
#include <string_view>
#include <vector>

namespace gpuwright::server {

/// What the build packed (web/build.mjs); the bytes live as long as the program. A binary without the page
/// has one small file that says so.
std::string_view packed_page();

struct NamedPage {
  std::string path;
  Page page;
};

/// The files of a pack, "/index.html" also as "/"; nothing of one that is not whole.
std::vector<NamedPage> unpack_page(std::string_view pack);

/// The file at that path, or nothing.
std::optional<Page> page_file(std::string_view path);

}  // namespace gpuwright::server
