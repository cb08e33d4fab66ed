// SPDX-License-Identifier: Apache-2.0
#include "kit/yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>

namespace gpuwright::kit {

namespace {

constexpr std::size_t kMaxDepth = 64;

/// Stops the parser from inside an event; caught in parse_yaml.
struct Refused {
  std::int32_t line;
  const char* why;
};

/// Builds a Node tree from yaml-cpp's events. Faster than its own tree, and keeps lines.
class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(make(Node::Kind::Null, mark)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark.line + 1, "aliases are not accepted here"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    Node node = make(Node::Kind::Scalar, mark);
    node.scalar = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(make(Node::Kind::Sequence, mark), mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(make(Node::Kind::Map, mark), mark);
  }
  void OnMapEnd() override { close(); }

  Node take() { return std::move(root_); }

 private:
  struct Level {
    Node node;
    std::optional<std::string> key;
  };

  static Node make(Node::Kind kind, const YAML::Mark& mark) {
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    return node;
  }

  void open(Node node, const YAML::Mark& mark) {
    if (levels_.size() >= kMaxDepth) throw Refused{mark.line + 1, "nested too deeply"};
    levels_.push_back(Level{std::move(node), std::nullopt});
  }

  void close() {
    Node node = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.is_sequence()) {
      level.node.items.push_back(std::move(node));
    } else if (!level.key) {
      level.key = node.scalar;
    } else {
      level.node.entries.emplace_back(std::move(*level.key), std::move(node));
      level.key.reset();
    }
  }

  Node root_;
  std::vector<Level> levels_;
};

base::Error malformed(const std::string& name, std::int32_t line, const std::string& why) {
  return base::make_error(base::ErrorKind::Malformed, why, fmt::format("{}:{}", name, line));
}

}  // namespace

base::Result<Node> parse_yaml(std::string_view text, const std::string& name) {
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
  } catch (const Refused& refused) {
    return malformed(name, refused.line, refused.why);
  } catch (const YAML::Exception& exception) {
    return malformed(name, exception.mark.line + 1, exception.msg);
  } catch (const std::exception& exception) {
    return malformed(name, 0, exception.what());
  }
  return builder.take();
}

}  // namespace gpuwright::kit
