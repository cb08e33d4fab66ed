// SPDX-License-Identifier: Apache-2.0
#include "report/spec_words.h"

#include "base/text.h"
#include "catalog/spec_types.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::report {

namespace {

using catalog::Language;
using catalog::SpecKey;
using catalog::SpecShape;
using catalog::SpecType;
using model::SpecFault;
using model::SpecProblem;

std::string say(Language language, const char* en, const char* zh) {
  return language == Language::Chinese ? zh : en;
}

/// A fault's name for programs, and its sentence. {path}, {found} and {wanted} are the problem's; {in},
/// {like} and {mean} are phrases that may be empty; {what} and {not} are words for what was wanted and found.
struct FaultWords {
  SpecFault fault;
  const char* name;
  const char* en;
  const char* zh;
};

constexpr std::array<FaultWords, 16> kFaults = {{
    {SpecFault::Unreadable, "unreadable", "cannot be read: {wanted}", "无法读取：{wanted}"},
    {SpecFault::NotAMap, "not_a_map", "a spec is keys with values, like name: training nodes",
     "spec 应是一组键值，例如 name: training nodes"},
    {SpecFault::MoreDocuments, "more_documents", "a second document begins here; one file holds one spec",
     "第二个文档从这里开始；一个文件只能有一份 spec"},
    {SpecFault::UnknownKey, "unknown_key", "unknown key '{found}'{in}{mean}", "未知的键 '{found}'{in}{mean}"},
    {SpecFault::Duplicate, "duplicate", "{path} stands twice, first on line {found}",
     "{path} 重复出现，首次在第 {found} 行"},
    {SpecFault::Empty, "empty", "{path} has no value{like}", "{path} 没有值{like}"},
    {SpecFault::WrongShape, "wrong_shape", "{path} wants {what}, not {not}{like}",
     "{path} 应是{what}，而不是{not}{like}"},
    {SpecFault::WrongType, "wrong_type", "{path}: '{found}' is not {what}{mean}",
     "{path}：'{found}' 不是{what}{mean}"},
    {SpecFault::NotAllowed, "not_allowed", "{path}: '{found}' is none of {wanted}{mean}",
     "{path}：'{found}' 不在允许的值之中：{wanted}{mean}"},
    {SpecFault::UnitMissing, "unit_missing", "{path}: '{found}' has no unit; write it like '{wanted}'",
     "{path}：'{found}' 缺少单位；例如写 '{wanted}'"},
    {SpecFault::UnitWrong, "unit_wrong", "{path}: '{found}' is no unit that fits; there are {wanted}{mean}",
     "{path}：单位 '{found}' 不适用；可用 {wanted}{mean}"},
    {SpecFault::OutOfRange, "out_of_range", "{path}: {found} is outside {wanted}",
     "{path}：{found} 超出范围 {wanted}"},
    {SpecFault::Missing, "missing", "{path} is missing{like}", "缺少 {path}{like}"},
    {SpecFault::TooMany, "too_many", "{path} has more than {wanted} items", "{path} 超过 {wanted} 项"},
    {SpecFault::TooLong, "too_long", "{path} is longer than {wanted} bytes", "{path} 超过 {wanted} 个字节"},
    {SpecFault::Contradiction, "contradiction", "{path}: {what}", "{path}：{what}"},
}};

struct Words {
  const char* id;
  const char* en;
  const char* zh;
};

/// Of the checks in parse/spec_checks.cpp.
constexpr std::array<Words, 5> kChecks = {{
    {"branch-and-version", "version {found} is not of the branch that driver.branch names",
     "版本 {found} 不属于 driver.branch 所写的分支"},
    {"guests-use-given-gpus", "GPU {found} is not among passthrough.gpus",
     "GPU {found} 不在 passthrough.gpus 之中"},
    {"least-and-most", "is above the upper end, {found}", "高于上限 {found}"},
    {"one-layout-per-gpu", "GPU {found} stands in two layouts", "GPU {found} 出现在两个布局中"},
    {"raid0-is-scratch", "raid0 loses all with one drive: make its purpose scratch, or its level raid10",
     "raid0 坏一块盘即全失：把用途改为 scratch，或把级别改为 raid10"},
}};

constexpr std::array<Words, 4> kShapes = {{
    {"map", "keys with values", "一组键值"},
    {"list", "a list", "列表"},
    {"list of maps", "a list, each item beginning with '-'", "每项以 '-' 开头的列表"},
    {"value", "a single value", "单个值"},
}};

/// The words of that id; the id itself where it has none.
template <std::size_t N>
std::string words_of(const std::array<Words, N>& table, const std::string& id, Language language) {
  const auto at =
      std::find_if(table.begin(), table.end(), [&](const Words& words) { return id == words.id; });
  return at == table.end() ? id : say(language, at->en, at->zh);
}

std::string type_words(const std::string& name, Language language) {
  const SpecType* type = catalog::spec_type(name);
  return type == nullptr ? name : say(language, type->en, type->zh);
}

/// `before` and `after` around the text; nothing around nothing.
std::string around(std::string before, const std::string& text, const std::string& after) {
  return text.empty() ? std::string() : std::move(before) + text + after;
}

std::string what_was_wanted(const SpecProblem& problem, Language language) {
  switch (problem.fault) {
    case SpecFault::WrongShape:
      return words_of(kShapes, problem.wanted, language);
    case SpecFault::WrongType:
      return type_words(problem.wanted, language);
    case SpecFault::Contradiction:
      return fill_in(words_of(kChecks, problem.wanted, language), {{"found", problem.found}});
    default:
      return problem.wanted;
  }
}

const FaultWords& words_of(SpecFault fault) {
  return kFaults[std::min(static_cast<std::size_t>(fault), kFaults.size() - 1)];
}

/// ", 10 W .. 5 kW", ", at least 1 s".
std::string range_text(const SpecKey& key, Language language) {
  if (key.least.empty() && key.most.empty()) return {};
  const std::string comma = say(language, ", ", "，");
  if (key.most.empty()) return comma + say(language, "at least ", "不小于 ") + key.least;
  if (key.least.empty()) return comma + say(language, "at most ", "不大于 ") + key.most;
  return comma + key.least + " .. " + key.most;
}

}  // namespace

std::string spec_problem_text(const SpecProblem& problem, Language language) {
  const FaultWords& words = words_of(problem.fault);
  const std::string& example = problem.fault == SpecFault::WrongShape ? problem.suggestion : problem.wanted;
  std::map<std::string, std::string> parameters = {{"path", problem.path},
                                                   {"found", problem.found},
                                                   {"wanted", problem.wanted},
                                                   {"what", what_was_wanted(problem, language)},
                                                   {"not", words_of(kShapes, problem.found, language)}};
  parameters["in"] = around(say(language, " in ", "（在 "), problem.path, say(language, "", " 中）"));
  parameters["like"] = around(say(language, ", like ", "，例如 "), example, "");
  parameters["mean"] = around(say(language, "; did you mean '", "；是否想写 '"), problem.suggestion,
                              say(language, "'?", "'？"));
  return fill_in(say(language, words.en, words.zh), parameters);
}

std::string spec_problem_line(const std::string& file, const SpecProblem& problem, Language language) {
  return fmt::format("{}:{}:{}: {}", file, problem.line, problem.column,
                     spec_problem_text(problem, language));
}

std::string spec_fault_name(SpecFault fault) {
  return words_of(fault).name;
}

std::string spec_type_text(const SpecKey& key, Language language) {
  if (key.shape == SpecShape::Section) return words_of(kShapes, "map", language);
  if (key.shape == SpecShape::Items) return words_of(kShapes, "list of maps", language);
  std::string text = type_words(key.type, language);
  if (key.type == "word") text = say(language, "one of ", "以下之一：") + base::join(key.allowed, ", ");
  const SpecType* type = catalog::spec_type(key.type);
  std::vector<std::string> units;
  for (std::size_t i = 0; type != nullptr && i < type->units.size(); ++i)
    units.emplace_back(type->units[i].name);
  text += around(" (", base::join(units, ", "), ")") + range_text(key, language);
  if (key.shape == SpecShape::List) return say(language, "a list, each ", "列表，每项为") + text;
  if (key.shape == SpecShape::Map)
    return say(language, "names with values, each ", "名称到值的映射，每个值为") + text;
  return text;
}

}  // namespace gpuwright::report
