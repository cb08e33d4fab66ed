// SPDX-License-Identifier: Apache-2.0
#include "parse/scanner.h"

#include "base/text.h"
#include "kit/regex.h"
#include "parse/line_prefix.h"
#include "parse/prefilter.h"

#include <algorithm>
#include <optional>
#include <string>

namespace gpuwright::parse {

namespace {

using catalog::Signature;
using catalog::Template;

/// What one watched literal leads to.
struct Target {
  std::int32_t signature = -1;        ///< index into signatures, or
  std::int32_t format = -1;           ///< index into formats
  const Template* pattern = nullptr;  ///< null: the signature's regex
};

/// The literal of a template that healthy logs hold least.
const std::string& watched_literal(const Template& pattern, const WindowCosts& costs) {
  const std::string* best = nullptr;
  for (const catalog::TemplatePart& part : pattern.parts) {
    if (part.kind != catalog::TemplatePart::Kind::Literal) continue;
    const bool better =
        best == nullptr || Prefilter::cost(part.literal, costs) < Prefilter::cost(*best, costs);
    if (better) best = &part.literal;
  }
  return *best;
}

}  // namespace

struct Scanner::State {
  const catalog::Catalog& catalog;
  std::vector<Target> targets;
  WindowCosts costs;
  Prefilter prefilter;
  std::vector<std::optional<kit::Regex>> regexes;  ///< by signature, compiled on first use
  std::vector<Prefilter::Hit> hits;
  std::vector<std::int64_t> tried_line;    ///< by target: the line it was last tried on
  std::vector<std::int64_t> matched_line;  ///< by signature: the line it last matched
  std::int64_t json_line = -1;             ///< the line whose message stands in json_message
  std::string json_message;

  explicit State(const catalog::Catalog& c)
      : catalog(c), costs(c.table("log_windows")), prefilter({}, costs) {}

  bool match_regex(std::size_t index, std::string_view line, Match& match) {
    const Signature& signature = catalog.signatures()[index];
    if (!regexes[index]) {
      base::Result<kit::Regex> compiled = kit::Regex::compile(signature.regex);
      if (!compiled) return false;  // the catalog's test refuses such a row
      regexes[index] = std::move(compiled).value();
    }
    std::vector<std::string_view> groups;
    if (!regexes[index]->find(line, 0, groups)) return false;
    for (std::size_t i = 1; i < groups.size() && i <= kMaxCaptures; ++i) match.captures[i - 1] = groups[i];
    return true;
  }

  /// The text to match: a JSON record's message, else the line.
  std::string_view message_of(std::string_view line, std::int64_t number) {
    if (line.empty() || line[0] != '{') return line;
    if (json_line != number) {
      LinePrefix unused;
      if (!read_json_line(line, json_message, unused)) json_message.assign(line);
      json_line = number;
    }
    return json_message;
  }

  void try_target(const Target& target, std::string_view raw, std::size_t offset, std::int64_t number,
                  Sink& sink) {
    const std::string_view line = message_of(raw, number);
    if (target.format >= 0) {
      Match unused;
      if (match_template(*target.pattern, line, unused))
        sink.on_block_start(static_cast<std::size_t>(target.format), offset, number);
      return;
    }
    const auto index = static_cast<std::size_t>(target.signature);
    if (matched_line[index] == number) return;
    Match match;
    match.signature = &catalog.signatures()[index];
    match.line = line;
    match.raw = raw;
    match.line_number = number;
    const bool matched = target.pattern != nullptr ? match_template(*target.pattern, line, match)
                                                   : match_regex(index, line, match);
    if (!matched) return;
    matched_line[index] = number;
    sink.on_match(match, offset);
  }
};

Scanner::Scanner(const catalog::Catalog& catalog) : state_(std::make_unique<State>(catalog)) {
  std::vector<std::string> literals;
  const auto watch = [&](const Target& target, const std::string& literal) {
    state_->targets.push_back(target);
    literals.push_back(literal);
  };
  for (std::size_t i = 0; i < catalog.signatures().size(); ++i) {
    const Signature& signature = catalog.signatures()[i];
    for (const Template& pattern : signature.templates) {
      watch(Target{static_cast<std::int32_t>(i), -1, &pattern}, watched_literal(pattern, state_->costs));
    }
    if (!signature.regex.empty()) watch(Target{static_cast<std::int32_t>(i), -1, nullptr}, signature.literal);
  }
  for (std::size_t i = 0; i < catalog.formats().size(); ++i) {
    for (const Template& pattern : catalog.formats()[i].starts) {
      watch(Target{-1, static_cast<std::int32_t>(i), &pattern}, watched_literal(pattern, state_->costs));
    }
  }
  state_->prefilter = Prefilter(std::move(literals), state_->costs);
  state_->regexes.resize(catalog.signatures().size());
  state_->tried_line.assign(state_->targets.size(), -1);
  state_->matched_line.assign(catalog.signatures().size(), -1);
}

Scanner::~Scanner() = default;
Scanner::Scanner(Scanner&&) noexcept = default;

std::int64_t Scanner::scan(std::string_view chunk, std::int64_t first_line, Sink& sink) {
  State& state = *state_;
  state.hits.clear();
  state.prefilter.find(chunk, state.hits);
  std::fill(state.tried_line.begin(), state.tried_line.end(), -1);
  std::fill(state.matched_line.begin(), state.matched_line.end(), -1);
  state.json_line = -1;
  std::size_t counted_to = 0;
  std::int64_t number = first_line;
  for (const Prefilter::Hit& hit : state.hits) {
    if (hit.position > counted_to) {
      number += std::count(chunk.begin() + static_cast<std::ptrdiff_t>(counted_to),
                           chunk.begin() + hit.position, '\n');
      counted_to = hit.position;
    }
    if (state.tried_line[hit.literal] == number) continue;
    state.tried_line[hit.literal] = number;
    const std::size_t before =
        hit.position == 0 ? std::string_view::npos : chunk.rfind('\n', hit.position - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line = chunk.substr(begin, chunk.find('\n', hit.position) - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    state.try_target(state.targets[hit.literal], line, begin, number, sink);
  }
  return number - first_line +
         std::count(chunk.begin() + static_cast<std::ptrdiff_t>(counted_to), chunk.end(), '\n');
}

}  // namespace gpuwright::parse
