// SPDX-License-Identifier: Apache-2.0
#include "model/fact_tree.h"

#include <fmt/core.h>

#include <map>
#include <type_traits>

namespace gpuwright::model {

namespace {

template <class T>
concept HasFields = requires(const T& value) {
  T::each_field(value, [](const char*, const auto&) {});
};

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = HasFields<T>;

/// Builds the children of one node. `places` are those of the snapshot, or of a GPU's report.
class Builder {
 public:
  Builder(FactNode& node, const std::vector<Evidence>& places) : node_(node), places_(places) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    FactNode& child = node_.children.emplace_back();
    child.name = name;
    fill(child, value);
  }

 private:
  template <class T>
  void fill(FactNode& child, const Field<T>& field) {
    note_place(child, field.provenance());
    if (field.known()) return fill(child, field.value());
    child.kind = FactNode::Kind::Absent;
    child.reason = field.reason();
  }

  template <class T>
  void fill(FactNode& child, const T& value) {
    if constexpr (kIsList<T>) {
      child.kind = FactNode::Kind::List;
      for (const auto& element : value) {
        FactNode& node = child.children.emplace_back();
        node.name = element.key();
        fill_group(node, element);
      }
    } else if constexpr (HasFields<T>) {
      fill_group(child, value);
    } else {
      child.kind = FactNode::Kind::Value;
      child.looked = true;
      set_value(child, value);
    }
  }

  template <class T>
  void fill_group(FactNode& node, const T& group) {
    node.kind = FactNode::Kind::Group;
    const std::vector<Evidence>* places = &places_;
    if constexpr (std::is_same_v<T, GpuFacts>) places = &group.report.lines;
    T::each_field(group, Builder(node, *places));
  }

  template <class T>
  static void set_value(FactNode& node, const T& value) {
    if constexpr (requires { value.count(); }) {
      node.value = value.count();
    } else {
      node.value = value;
    }
  }

  void note_place(FactNode& child, std::int32_t provenance) {
    const auto at = static_cast<std::size_t>(provenance);
    if (provenance <= 0 || at > places_.size()) return;
    child.looked = true;
    child.place = places_[at - 1];
  }

  FactNode& node_;
  const std::vector<Evidence>& places_;
};

std::string text_of(const FactNode& node) {
  struct Text {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const std::vector<std::string>& value) const {
      std::string joined;
      for (const std::string& part : value) joined += (joined.empty() ? "" : ", ") + part;
      return joined;
    }
  };
  return std::visit(Text{}, node.value);
}

void add(const FactNode& node, const std::string& path, std::vector<Fact>& facts) {
  if (node.kind == FactNode::Kind::Value || node.kind == FactNode::Kind::Absent) {
    Fact fact;
    fact.path = path;
    fact.known = node.kind == FactNode::Kind::Value;
    fact.value = text_of(node);
    fact.reason = node.reason;
    fact.place = node.place;
    facts.push_back(std::move(fact));
    return;
  }
  std::map<std::string, int> seen;
  for (const FactNode& child : node.children) {
    if (node.kind == FactNode::Kind::List) {
      const int again = ++seen[child.name];
      add(child,
          again == 1 ? fmt::format("{}[{}]", path, child.name)
                     : fmt::format("{}[{}#{}]", path, child.name, again),
          facts);
    } else {
      add(child, path.empty() ? child.name : path + "." + child.name, facts);
    }
  }
}

}  // namespace

FactNode fact_tree(const Machine& machine) {
  FactNode root;
  root.looked = true;
  Machine::each_field(machine, Builder(root, machine.places));
  return root;
}

std::vector<Fact> flatten(const FactNode& tree) {
  std::vector<Fact> facts;
  add(tree, {}, facts);
  return facts;
}

std::vector<Fact> flatten(const Machine& machine) {
  return flatten(fact_tree(machine));
}

const char* word_of(AbsentReason reason) {
  switch (reason) {
    case AbsentReason::NotFound:
      return "not found";
    case AbsentReason::Denied:
      return "denied";
    case AbsentReason::Unsupported:
      return "not supported";
    case AbsentReason::TimedOut:
      return "timed out";
    case AbsentReason::Malformed:
      return "malformed";
  }
  return "not found";
}

}  // namespace gpuwright::model
