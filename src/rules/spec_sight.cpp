// SPDX-License-Identifier: Apache-2.0
#include "rules/spec_sight.h"

#include "base/ids.h"
#include "base/text.h"
#include "catalog/spec_types.h"
#include "rules/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuwright::rules {

namespace {

using catalog::SpecKey;
using catalog::SpecKind;
using catalog::SpecShape;
using model::AbsentReason;
using model::Evidence;
using model::FactNode;
using model::SpecValue;

/// What the last part of a fact's name says of its unit, in base units of the spec. Source: the names of
/// `gpuwright facts --json`.
constexpr std::array<std::pair<const char*, double>, 4> kUnits = {
    {{"_mbitps", 1e6}, {"_gbitps", 1e9}, {"_mib", 1048576}, {"_mhz", 1e6}}};

double factor_of(const std::string& name) {
  for (const auto& unit : kUnits) {
    if (name.ends_with(unit.first)) return unit.second;
  }
  return 1;
}

std::optional<double> number_of(const FactNode& node) {
  if (const auto* real = std::get_if<double>(&node.value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*integer);
  if (const auto* text = std::get_if<std::string>(&node.value)) return base::parse_double(*text);
  return std::nullopt;
}

/// "Exclusive_Process", "InfiniBand" as the spec writes its words.
std::string as_word(const std::string& text) {
  return base::replace_all(base::replace_all(base::lower(text), "_", "-"), " ", "-");
}

std::optional<SpecValue> value_of_text(const SpecKey& key, const std::string& text) {
  if (key.type != "word") return SpecValue(text);
  const auto same = std::find_if(key.allowed.begin(), key.allowed.end(),
                                 [&](const std::string& word) { return as_word(word) == as_word(text); });
  return same == key.allowed.end() ? SpecValue(text) : SpecValue(*same);
}

model::SpecTexts texts_of(const FactNode& node) {
  if (const auto* list = std::get_if<std::vector<std::string>>(&node.value)) return *list;
  if (const auto* text = std::get_if<std::string>(&node.value)) return {*text};
  return {};
}

/// The fact in the type of the key; nothing where it cannot be that.
std::optional<SpecValue> value_of(const SpecKey& key, const FactNode& node) {
  const catalog::SpecType* type = catalog::spec_type(key.type);
  if (type == nullptr) return std::nullopt;
  if (key.shape == SpecShape::List) return SpecValue(texts_of(node));
  if (key.shape == SpecShape::Map) return std::nullopt;
  switch (type->kind) {
    case SpecKind::Boolean:
      if (const auto* flag = std::get_if<bool>(&node.value)) return SpecValue(*flag);
      return std::nullopt;
    case SpecKind::Integer: {
      const std::optional<double> number = number_of(node);
      if (!number || std::abs(*number) > 9e15) return std::nullopt;
      return SpecValue(static_cast<std::int64_t>(*number));
    }
    case SpecKind::Number:
    case SpecKind::Quantity: {
      const std::optional<double> number = number_of(node);
      if (!number) return std::nullopt;
      return SpecValue(*number * factor_of(node.name));
    }
    case SpecKind::Text:
      break;
  }
  if (const auto* text = std::get_if<std::string>(&node.value)) return value_of_text(key, *text);
  if (const auto* integer = std::get_if<std::int64_t>(&node.value))
    return SpecValue(std::to_string(*integer));
  return std::nullopt;
}

const FactNode* child_of(const FactNode& node, std::string_view name) {
  const auto at = std::find_if(node.children.begin(), node.children.end(),
                               [&](const FactNode& child) { return child.name == name; });
  return at == node.children.end() ? nullptr : &*at;
}

SpecSight with_subject(SpecSight sight, const model::Subject& subject) {
  sight.subject = subject;
  return sight;
}

/// Walks one path of facts: "driver.flavour", "network.interfaces[{name}].mtu".
class Walk {
 public:
  explicit Walk(const SpecLook& look) : look_(look) {}

  SpecSights sights;

  void go(const FactNode& node, std::string_view path, const model::Subject& subject) {
    if (node.kind == FactNode::Kind::Absent) return absent(node, subject);
    if (path.empty()) return arrived(node, subject);
    if (path.front() == '[') return into_list(node, path, subject);
    if (path.front() == '.') path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (const FactNode* child = child_of(node, path.substr(0, end))) go(*child, path.substr(end), subject);
  }

 private:
  void add(SpecSight sight, const model::Subject& subject) {
    sights.push_back(with_subject(std::move(sight), subject));
  }
  void absent(const FactNode& node, const model::Subject& subject) {
    const bool none = look_.key.none_if_absent && node.reason == AbsentReason::NotFound;
    add(none ? sight_of_none(node.place) : sight_of_unknown(node.reason, node.place), subject);
  }
  void arrived(const FactNode& node, const model::Subject& subject) {
    const std::optional<SpecValue> value = value_of(look_.key, node);
    add(value ? sight_of_value(*value, node.place) : sight_of_unknown(AbsentReason::Malformed, node.place),
        subject);
  }

  void into_list(const FactNode& list, std::string_view path, const model::Subject& subject) {
    const std::size_t close = path.find(']');
    if (list.kind != FactNode::Kind::List || close == std::string_view::npos) return;
    const std::string_view which = path.substr(1, close - 1);
    bool found = which == "*";
    for (const FactNode& element : list.children) {
      if (!is_meant(list, element.name, which)) continue;
      found = true;
      go(element, path.substr(close + 1), subject_of_element(list, element.name, subject));
    }
    // The list was read, and lacks what the spec names: that is an answer.
    if (!found)
      sights.push_back(
          with_subject(sight_of_none(list.place), subject_of_element(list, named(which), subject)));
  }

  /// "{name}" stands for the value of that key in the same item.
  std::string named(std::string_view which) const {
    if (which.size() < 3 || which.front() != '{') return std::string(which);
    return look_.spec.text(look_.sibling(which.substr(1, which.size() - 2))).value_or("");
  }
  /// Ports of RDMA devices are known as "mlx5_0/1".
  bool is_meant(const FactNode& list, const std::string& element, std::string_view which) const {
    if (which == "*") return true;
    const std::string name = named(which);
    return element == name || (list.name == "rdma_ports" && element.starts_with(name + "/"));
  }

  static model::Subject subject_of_element(const FactNode& list, const std::string& name,
                                           const model::Subject& above) {
    model::Subject subject = above;
    if (list.name == "interfaces" || list.name == "rdma_ports") {
      subject.kind = model::SubjectKind::Nic;
      subject.id = name.substr(0, name.find('/'));
    } else if (list.name == "mounts" || list.name == "raids" || list.name == "disks") {
      subject.kind = model::SubjectKind::Disk;
      subject.id = name;
    }
    return subject;
  }

  const SpecLook& look_;
};

/// Facts of GPUs are looked at GPU by GPU, so that overrides hold.
SpecSights look_at_gpus(const SpecLook& look, std::string_view rest) {
  const FactNode* list = child_of(look.facts, "gpus");
  if (list == nullptr) return {};
  if (list->kind == FactNode::Kind::Absent) return {sight_of_unknown(list->reason, list->place)};
  SpecSights sights;
  for (const model::GpuFacts* gpu : gpus_of(look)) {
    const FactNode* element = child_of(*list, gpu->report.key());
    if (element == nullptr) continue;
    Walk walk(look);
    walk.go(*element, rest, subject_of(gpu->report));
    for (SpecSight& sight : walk.sights) sights.push_back(std::move(sight));
  }
  return sights;
}

/// How much a look tells: a value most; that something is not there more than that its list could not be
/// found, and less than that one may not look.
int weight_of(const SpecSights& sights) {
  int best = 0;
  for (const SpecSight& sight : sights) {
    const bool not_found = sight.kind == SpecSight::Kind::Unknown && sight.reason == AbsentReason::NotFound;
    const int weight = sight.kind == SpecSight::Kind::Value  ? 4
                       : sight.kind == SpecSight::Kind::None ? 2
                       : not_found                           ? 1
                                                             : 3;
    best = std::max(best, weight);
  }
  return best;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-3 * std::max(std::abs(a), std::abs(b));
}

/// Letters and digits in a row are one word: "A10" is no word of "A100".
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const std::string lowered = base::lower(text) + " ";
  for (const char c : lowered) {
    const bool inside = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
    if (inside) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

bool holds_words(const std::string& found, const std::string& wanted) {
  const std::vector<std::string> there = words_in(found);
  const std::vector<std::string> asked = words_in(wanted);
  return std::all_of(asked.begin(), asked.end(), [&](const std::string& word) {
    return std::find(there.begin(), there.end(), word) != there.end();
  });
}

/// "9" begins "9.4"; "24.04" begins "24.04"; "6.1" does not begin "6.18".
bool begins_version(const std::string& found, const std::string& wanted) {
  if (!found.starts_with(wanted)) return false;
  return found.size() == wanted.size() || !((found[wanted.size()] >= '0' && found[wanted.size()] <= '9'));
}

bool texts_meet(const SpecKey& key, const std::string& wanted, const std::string& found) {
  switch (key.compare) {
    case catalog::SpecCompare::Words:
      return holds_words(found, wanted);
    case catalog::SpecCompare::Prefix:
      return begins_version(found, wanted);
    case catalog::SpecCompare::AtLeast:
      return base::compare_versions(found, wanted) >= 0;
    case catalog::SpecCompare::AtMost:
      return base::compare_versions(found, wanted) <= 0;
    default:
      return found == wanted;
  }
}

/// `equal`: whether the two count as the same number.
bool numbers_meet(const SpecKey& key, double wanted, double found, bool equal) {
  const double slack = wanted * static_cast<double>(key.slack) / 100;
  if (key.compare == catalog::SpecCompare::AtLeast) return equal || found >= wanted - slack;
  if (key.compare == catalog::SpecCompare::AtMost) return equal || found <= wanted + slack;
  return equal;
}

bool lists_meet(const SpecKey& key, model::SpecTexts wanted, model::SpecTexts found) {
  if (key.compare == catalog::SpecCompare::Contains) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
      return std::find(found.begin(), found.end(), one) != found.end();
    });
  }
  std::sort(wanted.begin(), wanted.end());
  std::sort(found.begin(), found.end());
  return wanted == found;
}

bool maps_meet(const SpecKey& key, const model::SpecMap& wanted, const model::SpecMap& found) {
  if (key.compare != catalog::SpecCompare::Contains) return wanted == found;
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
    return std::find(found.begin(), found.end(), pair) != found.end();
  });
}

/// The GPUs of the selectors; "all" is every one.
bool selected_by(const model::SpecTexts& selectors, const model::GpuReport& gpu) {
  return std::any_of(selectors.begin(), selectors.end(),
                     [&](const std::string& selector) { return selects(selector, gpu); });
}

}  // namespace

std::string SpecLook::sibling(std::string_view name) const {
  const std::size_t dot = path.rfind('.');
  return (dot == std::string::npos ? std::string() : path.substr(0, dot + 1)) + std::string(name);
}

SpecSight sight_of_value(SpecValue value, const Evidence& place) {
  SpecSight sight;
  sight.kind = SpecSight::Kind::Value;
  sight.value = std::move(value);
  sight.place = place;
  return sight;
}

SpecSight sight_of_none(const Evidence& place) {
  SpecSight sight;
  sight.kind = SpecSight::Kind::None;
  sight.place = place;
  return sight;
}

SpecSight sight_of_unknown(AbsentReason reason, const Evidence& place) {
  SpecSight sight;
  sight.reason = reason;
  sight.place = place;
  return sight;
}

bool selects(std::string_view selector, const model::GpuReport& gpu) {
  if (selector == "all" || selector == model::key_text(gpu.index) || selector == model::key_text(gpu.uuid))
    return true;
  const auto wanted = base::PciAddress::parse(selector);
  const auto there = base::PciAddress::parse(model::key_text(gpu.pci));
  return wanted && there && wanted->text() == there->text();
}

model::Subject subject_of(const model::GpuReport& gpu) {
  model::Subject subject;
  subject.kind = model::SubjectKind::Gpu;
  subject.id = gpu_id(gpu);
  return subject;
}

std::vector<const model::GpuFacts*> gpus_of(const SpecLook& look) {
  std::vector<const model::GpuFacts*> gpus;
  const bool in_item = look.path.find('[') != std::string::npos;
  const model::SpecTexts named = in_item ? look.spec.texts(look.sibling("gpus")) : model::SpecTexts();
  for (const model::GpuFacts& gpu : model::each(look.machine.gpus)) {
    bool meant = named.empty() || selected_by(named, gpu.report);
    for (std::int64_t i = 0; !in_item && meant && i < look.spec.count("gpu.overrides"); ++i) {
      const bool spoken_of = look.spec.find(model::spec_path("gpu.overrides", i, look.key.name)) != nullptr;
      if (spoken_of && selected_by(look.spec.texts(model::spec_path("gpu.overrides", i, "gpus")), gpu.report))
        meant = false;
    }
    if (meant) gpus.push_back(&gpu);
  }
  return gpus;
}

SpecSights look_at_facts(const SpecLook& look) {
  constexpr std::string_view kGpus = "gpus[*]";
  SpecSights best;
  for (const std::string& fact : look.key.facts) {
    SpecSights here;
    if (fact.starts_with(kGpus)) {
      here = look_at_gpus(look, std::string_view(fact).substr(kGpus.size()));
    } else {
      Walk walk(look);
      walk.go(look.facts, fact, model::Subject());
      here = std::move(walk.sights);
    }
    if (weight_of(here) > weight_of(best)) best = std::move(here);
  }
  return best;
}

bool meets(const SpecKey& key, const SpecValue& wanted, const SpecValue& found) {
  if (wanted.index() != found.index()) return false;
  if (const auto* text = std::get_if<std::string>(&wanted))
    return texts_meet(key, *text, std::get<std::string>(found));
  if (const auto* number = std::get_if<double>(&wanted)) {
    const double other = std::get<double>(found);
    return numbers_meet(key, *number, other, near(*number, other));
  }
  if (const auto* integer = std::get_if<std::int64_t>(&wanted)) {
    const auto other = std::get<std::int64_t>(found);
    return numbers_meet(key, static_cast<double>(*integer), static_cast<double>(other), *integer == other);
  }
  if (const auto* list = std::get_if<model::SpecTexts>(&wanted))
    return lists_meet(key, *list, std::get<model::SpecTexts>(found));
  if (const auto* map = std::get_if<model::SpecMap>(&wanted))
    return maps_meet(key, *map, std::get<model::SpecMap>(found));
  return wanted == found;
}

}  // namespace gpuwright::rules
