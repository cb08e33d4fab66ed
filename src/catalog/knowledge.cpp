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

constexpr std::string_view kMagic = "gpuwright knowledge 1\n";
constexpr int kMaxDepth = 64;

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

// ---- pack: kind byte, line, then text or count and children; numbers as base-128 varints ----

void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

/// Depth is bounded by the parsers that made the tree.
void put_node(std::string& out, const Node& node) {
  out += static_cast<char>(node.kind);
  put_number(out, static_cast<std::uint64_t>(node.line));
  if (node.is_scalar()) put_text(out, node.scalar);
  if (node.is_sequence()) {
    put_number(out, node.items.size());
    for (const Node& item : node.items) put_node(out, item);
  }
  if (!node.is_map()) return;
  const auto for_tests = [](const auto& entry) {
    return entry.first == "examples" || entry.first == "near_miss";
  };
  put_number(out, node.entries.size() - static_cast<std::size_t>(std::count_if(
                                            node.entries.begin(), node.entries.end(), for_tests)));
  for (const auto& entry : node.entries) {
    if (for_tests(entry)) continue;
    put_text(out, entry.first);
    put_node(out, entry.second);
  }
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  bool number(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool text(std::string& out) {
    std::uint64_t size = 0;
    if (!number(size) || size > bytes_.size()) return false;
    out.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return true;
  }

  bool node(Node& out, int depth) {
    if (bytes_.empty() || depth > kMaxDepth) return false;
    const auto kind = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    std::uint64_t line = 0;
    if (kind > static_cast<unsigned char>(Node::Kind::Map) || !number(line)) return false;
    out.kind = static_cast<Node::Kind>(kind);
    out.line = static_cast<std::int32_t>(line);
    if (out.is_scalar()) return text(out.scalar);
    if (out.is_null()) return true;
    std::uint64_t count = 0;
    if (!number(count) || count > bytes_.size()) return false;
    return out.is_sequence() ? items(out, count, depth) : entries(out, count, depth);
  }

 private:
  bool items(Node& out, std::uint64_t count, int depth) {
    out.items.resize(count);
    return std::all_of(out.items.begin(), out.items.end(), [&](Node& item) { return node(item, depth + 1); });
  }

  bool entries(Node& out, std::uint64_t count, int depth) {
    out.entries.resize(count);
    return std::all_of(out.entries.begin(), out.entries.end(),
                       [&](auto& entry) { return text(entry.first) && node(entry.second, depth + 1); });
  }

  std::string_view bytes_;
};

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

std::string pack_knowledge(const std::vector<KnowledgeFile>& files) {
  std::string out(kMagic);
  put_number(out, files.size());
  for (const KnowledgeFile& file : files) {
    put_text(out, file.name);
    put_node(out, file.root);
  }
  return out;
}

base::Result<std::vector<KnowledgeFile>> unpack_knowledge(std::string_view packed) {
  const base::Error damaged = make_error(ErrorKind::Malformed, "the knowledge pack is damaged");
  if (packed.substr(0, kMagic.size()) != kMagic) return damaged;
  Reader reader(packed.substr(kMagic.size()));
  std::uint64_t count = 0;
  if (!reader.number(count) || count > packed.size()) return damaged;
  std::vector<KnowledgeFile> files(count);
  for (KnowledgeFile& file : files) {
    if (!reader.text(file.name) || !reader.node(file.root, 0)) return damaged;
  }
  if (!reader.at_end()) return damaged;
  return files;
}

}  // namespace gpuwright::catalog
