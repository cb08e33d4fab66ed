// Reading a value of a spec; see the header. Source of the prefixes: IEC 80000-13 (KiB is 1024 bytes, kB is
// 1000).
// SPDX-License-Identifier: Apache-2.0
#include "catalog/spec_types.h"

#include "base/text.h"
#include "kit/regex.h"
#include "kit/yaml.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace gpuwright::catalog {

namespace {

using model::SpecFault;
using model::SpecProblem;
using model::SpecValue;

constexpr std::size_t kLongestText = 1024;

constexpr std::array<SpecUnit, 3> kPower = {{{"W", 1}, {"kW", 1e3}, {"MW", 1e6}}};
constexpr std::array<SpecUnit, 11> kSize = {{{"B", 1},
                                             {"kB", 1e3},
                                             {"MB", 1e6},
                                             {"GB", 1e9},
                                             {"TB", 1e12},
                                             {"PB", 1e15},
                                             {"KiB", 1024.},
                                             {"MiB", 1048576.},
                                             {"GiB", 1073741824.},
                                             {"TiB", 1099511627776.},
                                             {"PiB", 1125899906842624.}}};
constexpr std::array<SpecUnit, 5> kBitRate = {
    {{"b/s", 1}, {"kb/s", 1e3}, {"Mb/s", 1e6}, {"Gb/s", 1e9}, {"Tb/s", 1e12}}};
constexpr std::array<SpecUnit, 8> kByteRate = {{{"B/s", 1},
                                                {"kB/s", 1e3},
                                                {"MB/s", 1e6},
                                                {"GB/s", 1e9},
                                                {"TB/s", 1e12},
                                                {"MiB/s", 1048576.},
                                                {"GiB/s", 1073741824.},
                                                {"TiB/s", 1099511627776.}}};
constexpr std::array<SpecUnit, 4> kFrequency = {{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
constexpr std::array<SpecUnit, 5> kDuration = {
    {{"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
constexpr std::array<SpecUnit, 1> kPercent = {{{"%", 1}}};
constexpr std::array<SpecUnit, 2> kTemperature = {{{"C", 1}, {"°C", 1}}};

constexpr std::span<const SpecUnit> kNone;

// Names that go into files and argument lists of others are kept to characters that mean nothing there.
constexpr std::array<SpecType, 25> kTypes = {{
    {"bit_rate", SpecKind::Quantity, kBitRate, "", "a rate in bits a second", "以比特每秒计的速率"},
    {"bool", SpecKind::Boolean, kNone, "", "true or false", "true 或 false"},
    {"byte_rate", SpecKind::Quantity, kByteRate, "", "a rate in bytes a second", "以字节每秒计的速率"},
    {"cidr", SpecKind::Text, kNone,
     R"(^([0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}|[0-9A-Fa-f:]+:[0-9A-Fa-f:.]*/[0-9]{1,3})$)",
     "an address with its prefix length, like 10.0.0.8/24", "带前缀长度的地址，如 10.0.0.8/24"},
    {"cpus", SpecKind::Text, kNone, R"(^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$)",
     "a list of CPUs, like 0-15,64-79", "CPU 列表，如 0-15,64-79"},
    {"date", SpecKind::Text, kNone, R"(^[0-9]{4}-[01][0-9]-[0-3][0-9]$)", "a date, like 2027-03-31",
     "日期，如 2027-03-31"},
    {"duration", SpecKind::Quantity, kDuration, "", "a duration", "时长"},
    {"endpoint", SpecKind::Text, kNone, R"(^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$)",
     "an address with its port, like 127.0.0.1:9400", "带端口的地址，如 127.0.0.1:9400"},
    {"frequency", SpecKind::Quantity, kFrequency, "", "a frequency", "频率"},
    {"gpu", SpecKind::Text, kNone,
     R"(^(all|[0-9]{1,3}|(GPU|MIG)-[0-9a-fA-F-]{8,40}|([0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(\.[0-7])?)$)",
     "`all`, a GPU's index, UUID or PCI address", "`all`、GPU 的序号、UUID 或 PCI 地址"},
    {"image", SpecKind::Text, kNone,
     R"(^[a-z0-9][A-Za-z0-9._/-]*(:[0-9]+/[A-Za-z0-9._/-]+)?(:[A-Za-z0-9_.-]+)?(@sha256:[0-9a-f]{64})?$)",
     "a container image with its tag or digest", "带标签或摘要的容器镜像"},
    {"int", SpecKind::Integer, kNone, "", "a whole number", "整数"},
    {"mode", SpecKind::Text, kNone, R"(^0[0-7]{3}$)", "a file mode, like 0660", "文件权限，如 0660"},
    {"name", SpecKind::Text, kNone, R"(^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$)",
     "a name of letters, digits and . _ : @ + -", "由字母、数字和 . _ : @ + - 组成的名字"},
    {"number", SpecKind::Number, kNone, "", "a number", "数"},
    {"option", SpecKind::Text, kNone, R"(^[A-Za-z0-9_.,:=@/+-]{1,256}$)", "an option without white space",
     "不含空白的选项"},
    {"path", SpecKind::Text, kNone, R"(^/[A-Za-z0-9._@:+/-]{0,254}$)", "an absolute path", "绝对路径"},
    {"pci_address", SpecKind::Text, kNone, R"(^([0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$)",
     "a PCI address, like 0000:17:00.0", "PCI 地址，如 0000:17:00.0"},
    {"percent", SpecKind::Quantity, kPercent, "", "a percentage", "百分比"},
    {"power", SpecKind::Quantity, kPower, "", "a power", "功率"},
    {"size", SpecKind::Quantity, kSize, "", "a size in bytes", "以字节计的大小"},
    {"temperature", SpecKind::Quantity, kTemperature, "", "a temperature", "温度"},
    {"text", SpecKind::Text, kNone, "", "a line of text", "一行文字"},
    {"url", SpecKind::Text, kNone, R"(^(https?|file)://[A-Za-z0-9._~:/?#@!$&()*+,;=%\[\]-]+$)",
     "an address that begins http:// or https:// or file://", "以 http://、https:// 或 file:// 开头的地址"},
    {"version", SpecKind::Text, kNone, R"(^[0-9]+([.~+_-][0-9A-Za-z]+)*$)", "a version, like 580.159.03",
     "版本号，如 580.159.03"},
}};
constexpr SpecType kWord = {"word", SpecKind::Text, kNone, "", "one of the words", "给定的词之一"};

SpecProblem problem(SpecFault fault, std::string_view found, std::string wanted,
                    std::string suggestion = {}) {
  SpecProblem result;
  result.fault = fault;
  result.found = base::printable(found, 80);
  result.wanted = std::move(wanted);
  result.suggestion = std::move(suggestion);
  return result;
}

/// Expressions are compiled when first needed, once for the program.
bool follows(const SpecType& type, std::string_view text) {
  if (*type.pattern == '\0') return true;
  static const std::map<std::string_view, kit::Regex> kCompiled = [] {
    std::map<std::string_view, kit::Regex> all;
    for (const SpecType& one : kTypes) {
      if (*one.pattern == '\0') continue;
      base::Result<kit::Regex> regex = kit::Regex::compile(one.pattern);
      if (regex) all.emplace(one.name, std::move(regex).value());
    }
    return all;
  }();
  const auto regex = kCompiled.find(type.name);
  return regex != kCompiled.end() && regex->second.matches(text);
}

std::string unit_names(const SpecType& type) {
  std::vector<std::string> names;
  for (const SpecUnit& unit : type.units) names.emplace_back(unit.name);
  return base::join(names, ", ");
}

std::optional<double> in_base_unit(const SpecType& type, std::string_view text) {
  const auto split = base::parse_number_and_unit(text);
  if (!split) return std::nullopt;
  for (const SpecUnit& unit : type.units) {
    if (split->unit == unit.name) return split->number * unit.factor;
  }
  return std::nullopt;
}

std::variant<SpecValue, SpecProblem> read_quantity(const SpecKey& key, const SpecType& type,
                                                   std::string_view text) {
  const auto split = base::parse_number_and_unit(text);
  const bool starts_right = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (!split || !starts_right || !std::isfinite(split->number))
    return problem(SpecFault::WrongType, text, type.name);
  const std::string unit(base::trim(split->unit));
  if (unit.empty()) {
    // The number as it stands, in the unit that the table's own example uses.
    const auto example = base::parse_number_and_unit(key.example);
    return problem(SpecFault::UnitMissing, text,
                   fmt::format("{} {}", text, example ? example->unit : type.units.front().name));
  }
  const std::optional<double> value = in_base_unit(type, text);
  if (value) return SpecValue(*value);
  std::vector<std::string> names;
  for (const SpecUnit& one : type.units) names.emplace_back(one.name);
  return problem(SpecFault::UnitWrong, unit, unit_names(type), base::closest(unit, names).value_or(""));
}

std::variant<SpecValue, SpecProblem> read_word(const SpecKey& key, std::string_view text) {
  if (std::find(key.allowed.begin(), key.allowed.end(), text) != key.allowed.end())
    return SpecValue(std::string(text));
  return problem(SpecFault::NotAllowed, text, base::join(key.allowed, ", "),
                 base::closest(text, key.allowed).value_or(""));
}

std::variant<SpecValue, SpecProblem> read_bool(std::string_view text) {
  if (text == "true" || text == "false") return SpecValue(text == "true");
  constexpr std::array<std::pair<const char*, const char*>, 12> kMeant = {{{"yes", "true"},
                                                                           {"no", "false"},
                                                                           {"on", "true"},
                                                                           {"off", "false"},
                                                                           {"1", "true"},
                                                                           {"0", "false"},
                                                                           {"enabled", "true"},
                                                                           {"disabled", "false"},
                                                                           {"true", "true"},
                                                                           {"false", "false"},
                                                                           {"y", "true"},
                                                                           {"n", "false"}}};
  std::string meant;
  for (const auto& one : kMeant) {
    if (base::equals_ignoring_case(text, one.first)) meant = one.second;
  }
  return problem(SpecFault::WrongType, text, "bool", meant);
}

std::variant<SpecValue, SpecProblem> read_text(const SpecType& type, std::string_view text) {
  if (text.size() > kLongestText)
    return problem(SpecFault::TooLong, text.substr(0, 20), std::to_string(kLongestText));
  const bool clean = base::printable(text, kLongestText + 1) == text;
  if (text.empty() || !clean || !follows(type, text)) return problem(SpecFault::WrongType, text, type.name);
  return SpecValue(std::string(text));
}

std::variant<SpecValue, SpecProblem> read_plain(const SpecKey& key, const SpecType& type,
                                                std::string_view text) {
  switch (type.kind) {
    case SpecKind::Boolean:
      return read_bool(text);
    case SpecKind::Integer: {
      const std::optional<std::int64_t> value = base::parse_int(text);
      if (value) return SpecValue(*value);
      return problem(SpecFault::WrongType, text, type.name);
    }
    case SpecKind::Number: {
      const std::optional<double> value = base::parse_double(text);
      if (value && std::isfinite(*value)) return SpecValue(*value);
      return problem(SpecFault::WrongType, text, type.name);
    }
    case SpecKind::Quantity:
      return read_quantity(key, type, text);
    case SpecKind::Text:
      break;
  }
  return key.type == "word" ? read_word(key, text) : read_text(type, text);
}

/// A number that stands for the value in its key's range, nothing for texts.
std::optional<double> magnitude(const SpecValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

std::optional<double> bound(const SpecType& type, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return type.kind == SpecKind::Quantity ? in_base_unit(type, text) : base::parse_double(text);
}

std::string range_text(const SpecKey& key) {
  if (key.most.empty()) return ">= " + key.least;
  if (key.least.empty()) return "<= " + key.most;
  return key.least + " .. " + key.most;
}

std::string shortest(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string quantity_text(const SpecType& type, double value) {
  const SpecUnit* best = &type.units.front();
  for (const SpecUnit& unit : type.units) {
    const double scaled = std::abs(value) / unit.factor;
    const bool exact = std::abs(scaled * 1000 - std::round(scaled * 1000)) < 1e-6;
    const double best_scaled = std::abs(value) / best->factor;
    if (scaled >= 1 && exact && scaled < best_scaled) best = &unit;
  }
  return fmt::format("{} {}", shortest(value / best->factor), best->name);
}

}  // namespace

std::span<const SpecType> spec_types() {
  return kTypes;
}

const SpecType* spec_type(std::string_view name) {
  if (name == kWord.name) return &kWord;
  const auto at =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const SpecType& type) { return name == type.name; });
  return at == kTypes.end() ? nullptr : &*at;
}

std::string spec_pattern(const SpecType& type) {
  if (type.kind != SpecKind::Quantity) return type.pattern;
  std::vector<std::string> names;
  for (const SpecUnit& unit : type.units) names.emplace_back(unit.name);
  return fmt::format("^-?[0-9]+(\\.[0-9]+)? ?({})$", base::join(names, "|"));
}

std::variant<SpecValue, SpecProblem> read_spec_value(const SpecKey& key, std::string_view text) {
  const SpecType* type = spec_type(key.type);
  if (type == nullptr) return problem(SpecFault::WrongType, text, key.type);
  std::variant<SpecValue, SpecProblem> result = read_plain(key, *type, text);
  const SpecValue* value = std::get_if<SpecValue>(&result);
  const std::optional<double> number = value == nullptr ? std::nullopt : magnitude(*value);
  if (!number) return result;
  const std::optional<double> least = bound(*type, key.least);
  const std::optional<double> most = bound(*type, key.most);
  if ((least && *number < *least) || (most && *number > *most))
    return problem(SpecFault::OutOfRange, text, range_text(key));
  return result;
}

std::string spec_value_text(const SpecKey& key, const SpecValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* texts = std::get_if<model::SpecTexts>(&value)) return "[" + base::join(*texts, ", ") + "]";
  if (const auto* items = std::get_if<model::SpecItems>(&value)) return fmt::format("{} items", items->count);
  if (const auto* number = std::get_if<double>(&value)) {
    const SpecType* type = spec_type(key.type);
    const bool has_unit = type != nullptr && type->kind == SpecKind::Quantity;
    return has_unit ? quantity_text(*type, *number) : shortest(*number);
  }
  std::vector<std::string> pairs;
  for (const auto& pair : std::get<model::SpecMap>(value)) pairs.push_back(pair.first + ": " + pair.second);
  return "{" + base::join(pairs, ", ") + "}";
}

bool is_yaml_text(const SpecKey& key) {
  const SpecType* type = spec_type(key.type);
  return type != nullptr && type->kind == SpecKind::Text && key.type != "gpu";
}

std::string flow_yaml(const kit::Node& node, bool as_text) {
  if (node.is_scalar()) return kit::yaml_scalar(node.scalar, as_text);
  std::vector<std::string> parts;
  for (const kit::Node& item : node.items) parts.push_back(flow_yaml(item, as_text));
  if (node.is_sequence()) return "[" + base::join(parts, ", ") + "]";
  for (const auto& entry : node.entries)
    parts.push_back(kit::yaml_scalar(entry.first, true) + ": " + flow_yaml(entry.second, as_text));
  return node.is_map() ? "{" + base::join(parts, ", ") + "}" : std::string();
}

}  // namespace gpuwright::catalog
