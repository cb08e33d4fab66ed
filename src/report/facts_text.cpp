// SPDX-License-Identifier: Apache-2.0
#include "report/facts_text.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace gpuwright::report {

namespace {

using model::FactNode;

struct Suffix {
  std::string_view suffix;
  const char* unit;
};

// The units that names carry (docs/ARCHITECTURE.md, conventions). Longer ones first.
constexpr std::array<Suffix, 8> kSuffixes = {{{"_mbitps", " Mbit/s"},
                                              {"_gbitps", " Gbit/s"},
                                              {"_gtps", " GT/s"},
                                              {"_bytes", ""},
                                              {"_percent", " %"},
                                              {"_s", " s"},
                                              {"_c", " C"},
                                              {"_w", " W"}}};

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return fmt::format("{:.4g} {}", amount, kUnits[unit]);
}

std::string plain_text(const FactNode& node) {
  if (const bool* flag = std::get_if<bool>(&node.value)) return *flag ? "yes" : "no";
  if (const auto* number = std::get_if<std::int64_t>(&node.value)) return fmt::format("{}", *number);
  if (const double* number = std::get_if<double>(&node.value)) return fmt::format("{:.6g}", *number);
  if (const auto* text = std::get_if<std::string>(&node.value)) return base::printable(*text, 300);
  if (const auto* list = std::get_if<std::vector<std::string>>(&node.value)) {
    return list->empty() ? "none" : base::printable(base::join(*list, ", "), 600);
  }
  return {};
}

class FactsText {
 public:
  explicit FactsText(const FactsOptions& options) : options_(options) {}

  std::string render(const FactNode& tree) {
    FactNode loose;  // facts that stand in no group
    loose.name = "machine";
    for (const FactNode& child : tree.children) {
      if (child.kind == FactNode::Kind::Value) loose.children.push_back(child);
    }
    if (wanted("machine")) top(loose);
    for (const FactNode& child : tree.children) {
      if (child.kind != FactNode::Kind::Value && wanted(child.name)) top(child);
    }
    if (!options_.absent && absent_ > 0)
      out_ += fmt::format("\n{} facts are not known; --all says why\n", absent_);
    return out_;
  }

 private:
  bool wanted(const std::string& group) const {
    return options_.groups.empty() ||
           std::find(options_.groups.begin(), options_.groups.end(), group) != options_.groups.end();
  }

  void top(const FactNode& node) {
    if (!out_.empty()) out_ += "\n";
    node_text(node, 0);
  }

  void line(int depth, const std::string& name, const std::string& value) {
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    out_ += value.empty() ? fmt::format("{}{}\n", indent, name)
                          : fmt::format("{}{:<{}}  {}\n", indent, name, std::max(2, 30 - depth * 2), value);
  }

  void heading(int depth, const std::string& name) {
    const bool bold = options_.color && depth == 0;
    line(depth, (bold ? "\x1b[1m" : "") + base::printable(name, 120) + (bold ? "\x1b[0m" : ""), "");
  }

  void node_text(const FactNode& node, int depth) {
    switch (node.kind) {
      case FactNode::Kind::Absent:
        ++absent_;
        if (options_.absent) line(depth, node.name, absent_text(node));
        return;
      case FactNode::Kind::Value:
        return line(depth, node.name, value_text(node));
      case FactNode::Kind::Group:
        heading(depth, node.name);
        for (const FactNode& child : node.children) node_text(child, depth + 1);
        return;
      case FactNode::Kind::List:
        return list(node, depth);
    }
  }

  void list(const FactNode& node, int depth) {
    heading(depth, fmt::format("{} ({})", node.name, node.children.size()));
    if (node.children.size() < 2) {
      for (const FactNode& child : node.children) node_text(child, depth + 1);
      return;
    }
    const std::vector<std::string> shared = shared_facts(node);
    if (!shared.empty()) {
      heading(depth + 1, "all");
      for (const FactNode& fact : node.children.front().children) {
        if (is_shared(shared, fact)) node_text(fact, depth + 2);
      }
    }
    for (const FactNode& child : node.children) {
      heading(depth + 1, child.name);
      for (const FactNode& fact : child.children) {
        if (!is_shared(shared, fact)) node_text(fact, depth + 2);
      }
    }
  }

  static bool is_shared(const std::vector<std::string>& shared, const FactNode& fact) {
    return std::find(shared.begin(), shared.end(), fact.name) != shared.end();
  }

  static bool same(const FactNode& a, const FactNode& b) {
    if (a.kind != b.kind || a.value != b.value || a.reason != b.reason) return false;
    return std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                      [](const FactNode& left, const FactNode& right) {
                        return left.name == right.name && same(left, right);
                      });
  }

  /// Names of the facts that are the same in every element.
  static std::vector<std::string> shared_facts(const FactNode& list) {
    std::vector<std::string> shared;
    const FactNode& first = list.children.front();
    for (std::size_t at = 0; at < first.children.size(); ++at) {
      const bool everywhere =
          std::all_of(list.children.begin(), list.children.end(), [&](const FactNode& other) {
            return at < other.children.size() && same(first.children[at], other.children[at]);
          });
      if (everywhere) shared.push_back(first.children[at].name);
    }
    return shared;
  }

  static std::string absent_text(const FactNode& node) {
    if (!node.looked) return fmt::format("unknown: {}", model::word_of(node.reason));
    return base::printable(fmt::format("unknown: {} ({}{}{})", model::word_of(node.reason), node.place.input,
                                       node.place.text.empty() ? "" : ": ", node.place.text),
                           300);
  }

  const FactsOptions& options_;
  std::string out_;
  std::size_t absent_ = 0;
};

}  // namespace

std::string value_text(const FactNode& node) {
  for (const Suffix& suffix : kSuffixes) {
    if (!std::string_view(node.name).ends_with(suffix.suffix)) continue;
    const auto* number = std::get_if<std::int64_t>(&node.value);
    if (suffix.suffix == "_bytes" && number != nullptr) return bytes_text(*number);
    return plain_text(node) + suffix.unit;
  }
  return plain_text(node);
}

std::string render_facts_text(const FactNode& tree, const FactsOptions& options) {
  return FactsText(options).render(tree);
}

}  // namespace gpuwright::report
