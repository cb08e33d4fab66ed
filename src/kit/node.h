// A tree of values as YAML and JSON documents have it, with places for error messages. The one shape in which
// both leave kit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::kit {

class Node {
 public:
  enum class Kind : std::uint8_t { Null, Scalar, Sequence, Map };

  // Defined where the class is complete: clang 14 needs it for a vector of pairs of itself.
  Node();
  ~Node();
  Node(const Node& other);
  Node(Node&& other) noexcept;
  Node& operator=(const Node& other);
  Node& operator=(Node&& other) noexcept;

  Kind kind = Kind::Null;
  std::int32_t line = 0;        ///< 1-based, 0 where unknown
  std::int32_t column = 0;      ///< 1-based, in bytes; 0 where unknown
  std::int32_t key_line = 0;    ///< of the key, where this is the value of a map's entry
  std::int32_t key_column = 0;  ///< likewise
  bool quoted = false;          ///< a scalar of YAML in quotes or as a block: a text whatever it looks like
  std::string scalar;           ///< numbers and booleans as written
  std::vector<Node> items;
  std::vector<std::pair<std::string, Node>> entries;  ///< in document order

  bool is_null() const { return kind == Kind::Null; }
  bool is_scalar() const { return kind == Kind::Scalar; }
  bool is_sequence() const { return kind == Kind::Sequence; }
  bool is_map() const { return kind == Kind::Map; }

  /// The entry of that key; a null node if this is no map or has no such key.
  const Node& operator[](std::string_view key) const;
  /// The scalar's text; empty if this is no scalar.
  const std::string& text() const { return scalar; }
  /// A scalar as a list of one, a sequence of scalars as a list, anything else empty.
  std::vector<std::string> texts() const;
};

}  // namespace gpuwright::kit
