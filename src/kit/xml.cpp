// SPDX-License-Identifier: Apache-2.0
#include "kit/xml.h"

#include "base/text.h"

#include <pugixml.hpp>

namespace gpuwright::kit {

namespace {

constexpr int kMaxDepth = 64;

XmlNode without_children(const pugi::xml_node& from) {
  XmlNode node;
  node.name = from.name();
  node.offset = static_cast<std::int64_t>(from.offset_debug());
  for (const pugi::xml_attribute& attribute : from.attributes()) {
    node.attributes.emplace_back(attribute.name(), attribute.value());
  }
  return node;
}

/// Recursion is bounded by kMaxDepth.
void copy_children(const pugi::xml_node& from, XmlNode& to, int depth) {
  for (const pugi::xml_node& child : from.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      to.text += base::trim(child.value());
    } else if (child.type() == pugi::node_element && depth < kMaxDepth) {
      XmlNode node = without_children(child);
      copy_children(child, node, depth + 1);
      to.children.push_back(std::move(node));
    }
  }
}

}  // namespace

const XmlNode& XmlNode::operator[](std::string_view child) const {
  static const XmlNode kEmpty;
  for (const XmlNode& node : children) {
    if (node.name == child) return node;
  }
  return kEmpty;
}

std::string XmlNode::attribute(std::string_view key) const {
  for (const auto& entry : attributes) {
    if (entry.first == key) return entry.second;
  }
  return {};
}

XmlDocument parse_xml(std::string_view text) {
  pugi::xml_document document;
  const unsigned options = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol | pugi::parse_fragment;
  const pugi::xml_parse_result result =
      document.load_buffer(text.data(), text.size(), options, pugi::encoding_utf8);
  XmlDocument out;
  copy_children(document, out.root, 0);
  out.complete = result.status == pugi::status_ok;
  if (!out.complete) out.problem = result.description();
  return out;
}

}  // namespace gpuwright::kit
