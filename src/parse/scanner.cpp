// SPDX-License-Identifier: Apache-2.0
#include "parse/scanner.h"

#include "base/text.h"
#include "kit/regex.h"
#include "parse/line_prefix.h"
#include "parse/prefilter.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>

namespace gpuwright::parse {

namespace {

using catalog::Signature;
using catalog::Template;

/// What one watched literal leads to.
struct Target {
  std::int32_t signature = -1;        ///< index into signatures, or
  std::int32_t format = -1;           ///< index into formats
  const Template* pattern = nullptr;  ///< null: the signature's regex
  bool literal_leads =
      false;  ///< the watched literal is the template's first: it matches there or not at all
};

/// The line that is looked at.
struct Line {
  std::string_view raw;    ///< without line end
  std::size_t offset = 0;  ///< where it begins in the chunk
  std::int64_t number = 0;
};

/// True when the literal is the first of the template.
bool leads(const Template& pattern, const std::string& literal) {
  for (const catalog::TemplatePart& part : pattern.parts) {
    if (part.kind == catalog::TemplatePart::Kind::Literal) return &part.literal == &literal;
  }
  return false;
}

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
  std::vector<std::vector<Target>> targets;  ///< by watched literal
  WindowCosts costs;
  Prefilter prefilter;
  std::vector<std::optional<kit::Regex>> regexes;  ///< by signature, compiled on first use
  std::vector<Prefilter::Hit> hits;
  std::vector<std::int64_t> tried_line;    ///< by literal: the line it was last seen on
  std::vector<std::int64_t> matched_line;  ///< by signature: the line it last matched
  Match match;                             ///< the one that is tried; between tries its captures are empty
  std::int64_t json_line = -1;             ///< the line whose message stands in json_message
  std::string json_message;

  explicit State(const catalog::Catalog& c)
      : catalog(c), costs(c.table("log_windows")), prefilter({}, costs) {}

  bool match_regex(std::size_t index, std::string_view line) {
    const Signature& signature = catalog.signatures()[index];
    if (!regexes[index]) {
      base::Result<kit::Regex> compiled = kit::Regex::compile(signature.regex);
      if (!compiled) return false;  // the catalog's test refuses such a row
      regexes[index] = std::move(compiled).value();
    }
    std::vector<std::string_view> groups;
    if (!regexes[index]->find(line, 0, groups)) return false;
    const std::size_t captures = std::min(signature.captures.size(), kMaxCaptures);
    for (std::size_t i = 1; i < groups.size() && i <= captures; ++i) match.captures[i - 1] = groups[i];
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

  /// `at`: where the watched literal stands in the line.
  void try_target(const Target& target, const Line& place, std::size_t at, Sink& sink) {
    const std::string_view line = message_of(place.raw, place.number);
    const bool is_plain = line.data() == place.raw.data();
    const std::size_t from = target.literal_leads && is_plain ? at : 0;
    if (target.format >= 0) {
      Match unused;
      if (match_template(*target.pattern, line, unused, from))
        sink.on_block_start(static_cast<std::size_t>(target.format), place.offset, place.number);
      return;
    }
    const auto index = static_cast<std::size_t>(target.signature);
    if (matched_line[index] == place.number) return;
    match.signature = &catalog.signatures()[index];
    match.line = line;
    match.raw = place.raw;
    match.line_number = place.number;
    const bool matched = target.pattern != nullptr ? match_template(*target.pattern, line, match, from)
                                                   : match_regex(index, line);
    if (matched) {
      matched_line[index] = place.number;
      sink.on_match(match, place.offset);
    }
    std::fill_n(match.captures.begin(), std::min(match.signature->captures.size(), kMaxCaptures),
                std::string_view());
  }
};

Scanner::Scanner(const catalog::Catalog& catalog) : state_(std::make_unique<State>(catalog)) {
  std::vector<std::string> literals;
  std::unordered_map<std::string, std::size_t> known;
  const auto watch = [&](const Target& target, const std::string& literal) {
    const auto [at, fresh] = known.emplace(literal, literals.size());
    if (fresh) {
      literals.push_back(literal);
      state_->targets.emplace_back();
    }
    state_->targets[at->second].push_back(target);
  };
  for (std::size_t i = 0; i < catalog.signatures().size(); ++i) {
    const Signature& signature = catalog.signatures()[i];
    for (const Template& pattern : signature.templates) {
      const std::string& literal = watched_literal(pattern, state_->costs);
      watch(Target{static_cast<std::int32_t>(i), -1, &pattern, leads(pattern, literal)}, literal);
    }
    for (const std::string& literal : signature.literals) {
      watch(Target{static_cast<std::int32_t>(i), -1, nullptr, false}, literal);
    }
  }
  for (std::size_t i = 0; i < catalog.formats().size(); ++i) {
    for (const Template& pattern : catalog.formats()[i].starts) {
      const std::string& literal = watched_literal(pattern, state_->costs);
      watch(Target{-1, static_cast<std::int32_t>(i), &pattern, leads(pattern, literal)}, literal);
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
  Line line;
  line.number = first_line;
  std::size_t end = 0;  // behind the line's line feed
  for (const Prefilter::Hit& hit : state.hits) {
    if (hit.position >= end) {
      const std::size_t previous = line.offset;
      const void* feed =
          hit.position == 0 ? nullptr : ::memrchr(chunk.data() + end, '\n', hit.position - end);
      line.offset =
          feed == nullptr ? end : static_cast<std::size_t>(static_cast<const char*>(feed) - chunk.data()) + 1;
      line.number += base::count_line_feeds(chunk.substr(previous, line.offset - previous));
      end = std::min(chunk.find('\n', hit.position), chunk.size() - 1) + 1;
      line.raw = chunk.substr(line.offset, end - line.offset);
      if (!line.raw.empty() && line.raw.back() == '\n') line.raw.remove_suffix(1);
      if (!line.raw.empty() && line.raw.back() == '\r') line.raw.remove_suffix(1);
    }
    if (state.tried_line[hit.literal] == line.number) continue;
    state.tried_line[hit.literal] = line.number;
    for (const Target& target : state.targets[hit.literal]) {
      state.try_target(target, line, hit.position - line.offset, sink);
    }
  }
  return line.number - first_line + base::count_line_feeds(chunk.substr(line.offset));
}

}  // namespace gpuwright::parse
