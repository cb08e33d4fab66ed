// SPDX-License-Identifier: Apache-2.0
#include "kit/yaml.h"

#include "base/text.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <utility>

namespace gpuwright::kit {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxDocuments = 1024;

/// Stops the parser from inside an event; caught in read_yaml.
struct Refused {
  YAML::Mark mark;
  const char* why;
};

/// Builds a Node tree from yaml-cpp's events. Faster than its own tree, and keeps lines.
class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(make(Node::Kind::Null, mark)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark, "aliases are not accepted here"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    Node node = make(Node::Kind::Scalar, mark);
    node.quoted = tag == "!";
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

  Node take() {
    levels_.clear();
    return std::exchange(root_, Node());
  }

 private:
  struct Level {
    Node node;
    std::optional<Node> key;
  };

  static Node make(Node::Kind kind, const YAML::Mark& mark) {
    Node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void open(Node node, const YAML::Mark& mark) {
    if (levels_.size() >= kMaxDepth) throw Refused{mark, "nested too deeply"};
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
      level.key = std::move(node);
    } else {
      node.key_line = level.key->line;
      node.key_column = level.key->column;
      level.node.entries.emplace_back(std::move(level.key->scalar), std::move(node));
      level.key.reset();
    }
  }

  Node root_;
  std::vector<Level> levels_;
};

YamlFault fault_at(const YAML::Mark& mark, std::string message) {
  return YamlFault{mark.line + 1, mark.column + 1, std::move(message)};
}

bool is_plain_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view(" /_.:+@=~%()-").find(c) != std::string_view::npos ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Whether YAML takes the plain text for the text itself and not for a mark, a comment or a map.
bool is_safe_plain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (std::string_view("-:@%=~").find(text.front()) != std::string_view::npos) return false;
  if (text.find(": ") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), is_plain_character);
}

/// Whether YAML or a reader of it would take the plain text for a number, a boolean or null. Source: YAML 1.1
/// and 1.2, core schema.
bool looks_typed(std::string_view text) {
  constexpr std::array kWords = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  const std::string word = base::lower(text);
  if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
  const char first = text.front();
  if (!((first >= '0' && first <= '9') || first == '.' || first == '+')) return false;
  if (std::count(text.begin(), text.end(), '.') > 1) return false;
  return text.find_first_not_of("0123456789.+-_:eExXoOabcdefABCDEF") == std::string_view::npos;
}

}  // namespace

YamlText read_yaml(std::string_view text) {
  YamlText result;
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (result.documents.size() < kMaxDocuments && parser.HandleNextDocument(builder))
      result.documents.push_back(builder.take());
  } catch (const Refused& refused) {
    result.fault = fault_at(refused.mark, refused.why);
  } catch (const YAML::Exception& exception) {
    result.fault = fault_at(exception.mark, exception.msg);
  } catch (const std::exception& exception) {
    result.fault = YamlFault{0, 0, exception.what()};
  }
  return result;
}

base::Result<Node> parse_yaml(std::string_view text, const std::string& name) {
  YamlText all = read_yaml(text);
  if (!all.documents.empty()) return std::move(all.documents.front());
  if (!all.fault) return Node();
  return base::make_error(base::ErrorKind::Malformed, all.fault->message,
                          fmt::format("{}:{}:{}", name, all.fault->line, all.fault->column));
}

std::string yaml_scalar(std::string_view text, bool as_text) {
  if (is_safe_plain(text) && !(as_text && looks_typed(text))) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace gpuwright::kit
