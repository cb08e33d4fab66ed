// The pack is a text of one line for the form, one a file (path, content type, tag, bytes, bytes of the gzip
// twin, between tabs) and an empty one; then the bytes of all, in that order.
// SPDX-License-Identifier: Apache-2.0
#include "server/page_files.h"

#include "base/text.h"

#include <algorithm>

namespace gpuwright::server {

namespace {

constexpr std::string_view kForm = "gpuwright page 1";

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

struct Row {
  NamedPage file;
  std::size_t size = 0, zipped = 0;
};

std::optional<Row> read_row(std::string_view line) {
  const auto parts = base::split(line, '\t');
  if (parts.size() != 5) return std::nullopt;
  const auto size = base::parse_int(parts[3]);
  const auto zipped = base::parse_int(parts[4]);
  if (!size || !zipped || *size < 0 || *zipped < 0) return std::nullopt;
  Row row;
  row.file.path = parts[0];
  row.file.page.content_type = parts[1];
  row.file.page.tag = parts[2];
  row.size = static_cast<std::size_t>(*size);
  row.zipped = static_cast<std::size_t>(*zipped);
  return row;
}

bool take_bytes(std::string_view& rest, std::size_t size, std::shared_ptr<const std::string>& into) {
  if (rest.size() < size) return false;
  into = std::make_shared<const std::string>(rest.substr(0, size));
  rest.remove_prefix(size);
  return true;
}

}  // namespace

std::vector<NamedPage> unpack_page(std::string_view pack) {
  if (take_line(pack) != kForm) return {};
  std::vector<Row> rows;
  for (std::string_view line = take_line(pack); !line.empty(); line = take_line(pack)) {
    auto row = read_row(line);
    if (!row) return {};
    rows.push_back(std::move(*row));
  }
  std::vector<NamedPage> files;
  for (Row& row : rows) {
    Page& page = row.file.page;
    if (!take_bytes(pack, row.size, page.body) || !take_bytes(pack, row.zipped, page.gzip)) return {};
    if (row.zipped == 0) page.gzip.reset();
    if (row.file.path == "/index.html") files.push_back({"/", page});
    files.push_back(std::move(row.file));
  }
  return files;
}

std::optional<Page> page_file(std::string_view path) {
  static const std::vector<NamedPage> files = unpack_page(packed_page());
  const auto at =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return at == files.end() ? std::nullopt : std::optional<Page>(at->page);
}

}  // namespace gpuwright::server
