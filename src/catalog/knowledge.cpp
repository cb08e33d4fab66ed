// SPDX-License-Identifier: Apache-2.0
#include "catalog/knowledge.h"

#include "base/csv.h"
#include "base/text.h"
#include "kit/yaml.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gpuwright::catalog {

namespace {

using base::ErrorKind;
using base::make_error;
using kit::Node;
namespace fs = std::filesystem;

Node csv_to_node(const base::CsvTable& table) {
  const auto row_node = [](const std::vector<std::string>& cells, std::int64_t line) {
    Node row;
    row.kind = Node::Kind::Sequence;
    row.line = static_cast<std::int32_t>(line);
    for (const std::string& cell : cells) {
      Node node;
      node.kind = Node::Kind::Scalar;
      node.scalar = cell;
      row.items.push_back(std::move(node));
    }
    return row;
  };
  Node root;
  root.kind = Node::Kind::Sequence;
  root.items.push_back(row_node(table.header, 1));
  for (const base::CsvTable::Row& row : table.rows) root.items.push_back(row_node(row.cells, row.line));
  return root;
}

base::Result<Node> parse_file(const fs::path& path, const std::string& name) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return make_error(ErrorKind::Denied, "cannot be read", path.string());
  std::stringstream content;
  content << stream.rdbuf();
  if (path.extension() == ".yaml") return kit::parse_yaml(content.str(), name);
  GPUWRIGHT_TRY(const base::CsvTable table, base::parse_csv(content.str(), name));
  return csv_to_node(table);
}

}  // namespace

base::Result<std::vector<KnowledgeFile>> read_knowledge(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string extension = it->path().extension().string();
    if (it->is_regular_file(error) && (extension == ".yaml" || extension == ".csv"))
      paths.push_back(it->path());
  }
  if (error) return make_error(ErrorKind::NotFound, error.message(), folder);
  std::sort(paths.begin(), paths.end());
  std::vector<KnowledgeFile> files;
  for (const fs::path& path : paths) {
    const std::string name = path.lexically_relative(folder).string();
    GPUWRIGHT_TRY(Node root, parse_file(path, name));
    files.push_back(KnowledgeFile{name, std::move(root)});
  }
  return files;
}

}  // namespace gpuwright::catalog
