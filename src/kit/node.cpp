// SPDX-License-Identifier: Apache-2.0
#include "kit/node.h"

namespace gpuwright::kit {

Node::Node() = default;
Node::~Node() = default;
Node::Node(const Node& other) = default;
Node::Node(Node&& other) noexcept = default;
Node& Node::operator=(const Node& other) = default;
Node& Node::operator=(Node&& other) noexcept = default;

const Node& Node::operator[](std::string_view key) const {
  static const Node kNull;
  for (const auto& entry : entries) {
    if (entry.first == key) return entry.second;
  }
  return kNull;
}

std::vector<std::string> Node::texts() const {
  if (is_scalar()) return {scalar};
  std::vector<std::string> result;
  for (const Node& item : items) {
    if (item.is_scalar()) result.push_back(item.scalar);
  }
  return result;
}

}  // namespace gpuwright::kit
