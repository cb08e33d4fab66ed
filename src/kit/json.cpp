// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace gpuwright::kit {

namespace {

constexpr std::size_t kMaxDepth = 64;

class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add(Node{}); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(fmt::format("{}", value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(fmt::format("{}", value)); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Node::Kind::Map); }
  bool key(string_t& name) override {
    levels_.back().key = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Node::Kind::Sequence); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& exception) override {
    why_ = fmt::format("not valid JSON at byte {}: {}", position, exception.what());
    return false;
  }

  Node take() { return std::move(root_); }
  const std::string& why() const { return why_; }

 private:
  struct Level {
    Node node;
    std::string key;
  };

  bool scalar(std::string text) {
    Node node;
    node.kind = Node::Kind::Scalar;
    node.scalar = std::move(text);
    return add(std::move(node));
  }

  bool open(Node::Kind kind) {
    if (levels_.size() >= kMaxDepth) {
      why_ = "nested too deeply";
      return false;
    }
    Node node;
    node.kind = kind;
    levels_.push_back(Level{std::move(node), {}});
    return true;
  }

  bool close() {
    Node node = std::move(levels_.back().node);
    levels_.pop_back();
    return add(std::move(node));
  }

  bool add(Node node) {
    if (levels_.empty()) {
      root_ = std::move(node);
    } else if (levels_.back().node.is_sequence()) {
      levels_.back().node.items.push_back(std::move(node));
    } else {
      levels_.back().node.entries.emplace_back(std::move(levels_.back().key), std::move(node));
    }
    return true;
  }

  Node root_;
  std::vector<Level> levels_;
  std::string why_ = "not valid JSON";
};

}  // namespace

base::Result<Node> parse_json(std::string_view text, const std::string& name) {
  TreeBuilder builder;
  try {
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
      return base::make_error(base::ErrorKind::Malformed, builder.why(), name);
    }
  } catch (const std::exception& exception) {
    return base::make_error(base::ErrorKind::Malformed, exception.what(), name);
  }
  return builder.take();
}

}  // namespace gpuwright::kit
