// XML text to a tree, by pugixml. External entities and DTDs are never followed. A cut document gives what is
// complete.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::kit {

struct XmlNode {
  std::string name;
  std::string text;          ///< the element's own text, trimmed
  std::int64_t offset = -1;  ///< byte offset of the element in the document, -1 where unknown
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlNode> children;

  /// The first child of that name; an empty node if there is none.
  const XmlNode& operator[](std::string_view child) const;
  /// The attribute's value; empty if there is none.
  std::string attribute(std::string_view key) const;
  bool empty() const { return name.empty(); }
};

struct XmlDocument {
  XmlNode root;          ///< an unnamed node with the top-level elements as children
  bool complete = true;  ///< false: the text was cut or broken, and root holds what came before
  std::string problem;   ///< why, when not complete
};

/// Parses; never fails: see XmlDocument::complete. Depth beyond 64 is cut off.
XmlDocument parse_xml(std::string_view text);

}  // namespace gpuwright::kit
