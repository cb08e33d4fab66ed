// SPDX-License-Identifier: Apache-2.0
#include "parse/event_folder.h"

#include "base/text.h"
#include "parse/fold_key.h"
#include "parse/line_prefix.h"
#include "parse/subject.h"

#include <algorithm>
#include <array>

namespace gpuwright::parse {

namespace {

constexpr std::size_t kMaxSlots = 4096;
constexpr std::size_t kMaxSeen = 16;
constexpr std::int64_t kRepeatsLookedInto = 64;
constexpr std::size_t kEvidenceLines = 3;
constexpr std::size_t kLineKept = 512;

bool in_default_key(const std::string& name) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "gpu",  "gpu_index", "switch", "nic",  "pci",    "link",    "code",
      "node", "pod",       "disk",   "peer", "status", "version", "container"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool in_key(const catalog::Signature& signature, const std::string& name) {
  if (signature.key.empty()) return in_default_key(name);
  return std::find(signature.key.begin(), signature.key.end(), name) != signature.key.end();
}

/// Signals that only the kernel may raise: a process that writes "NVRM: Xid" into /dev/kmsg is no GPU fault.
bool only_kernel_says(std::string_view signal) {
  static constexpr std::array<std::string_view, 5> kGroups = {"xid.", "sxid.", "nvrm.", "gsp.", "pcie."};
  return std::any_of(kGroups.begin(), kGroups.end(),
                     [&](std::string_view group) { return signal.substr(0, group.size()) == group; });
}

void remember_values(model::Event& event, const std::map<std::string, std::string>& params) {
  for (const auto& entry : params) {
    std::set<std::string>& values = event.seen[entry.first];
    if (values.size() < kMaxSeen) values.insert(entry.second);
  }
}

}  // namespace

FoldPlan::FoldPlan(const catalog::Catalog& catalog) : entries(catalog.signatures().size()) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const catalog::Signature& signature = catalog.signatures()[i];
    if (!signature.decode.empty()) entries[i].decoder = find_decoder(signature.decode);
    for (std::size_t k = 0; k < signature.captures.size(); ++k) {
      if (in_key(signature, signature.captures[k])) entries[i].key_captures.push_back(k);
    }
    const catalog::Signature* from = catalog.signature(signature.inherit_from);
    if (from == nullptr) continue;
    entries[i].inherits_from = static_cast<std::size_t>(from - catalog.signatures().data());
    entries[*entries[i].inherits_from].is_inherited_from = true;
  }
}

EventFolder::EventFolder(const catalog::Catalog& catalog, const FoldPlan& plan, std::string input)
    : catalog_(catalog), plan_(plan), input_(std::move(input)) {}

std::size_t EventFolder::index_of(const Match& match) const {
  return static_cast<std::size_t>(match.signature - catalog_.signatures().data());
}

std::uint64_t EventFolder::key_of(const Match& match) const {
  const std::size_t index = index_of(match);
  const FoldPlan::Entry& plan = plan_.entries[index];
  std::uint64_t key = (index + 1) * 0x9E3779B97F4A7C15u;
  if (plan.decoder != nullptr) return key ^ (plan.decoder->key(match) * 0xFF51AFD7ED558CCDu);
  for (const std::size_t capture : plan.key_captures) key = mix_key(key + capture, match.captures[capture]);
  if (!plan.inherits_from) return key;
  for (const auto& entry : params_of(match)) {
    if (in_key(*match.signature, entry.first)) key = mix_key(key, entry.second);
  }
  return key;
}

std::map<std::string, std::string> EventFolder::params_of(const Match& match) const {
  const catalog::Signature& signature = *match.signature;
  std::map<std::string, std::string> params = signature.set;
  for (std::size_t i = 0; i < signature.captures.size(); ++i) {
    if (!match.captures[i].empty()) params[signature.captures[i]] = base::printable(match.captures[i], 200);
  }
  const std::optional<std::size_t> inherits_from = plan_.entries[index_of(match)].inherits_from;
  if (!inherits_from) return params;
  const auto from = inherited_.find(*inherits_from);
  const bool near = from != inherited_.end() && from->second.line_number >= 0 &&
                    match.line_number - from->second.line_number <= signature.inherit_lines;
  if (!near) return params;
  const Inherited& inherited = from->second;
  const catalog::Signature& other = catalog_.signatures()[inherited.signature];
  for (std::size_t i = 0; i < other.captures.size(); ++i) {
    const auto& [offset, size] = inherited.captures[i];
    if (size > 0)
      params.emplace(other.captures[i],
                     base::printable(std::string_view(inherited.line).substr(offset, size), 200));
  }
  params.insert(other.set.begin(), other.set.end());
  return params;
}

std::vector<model::Event> EventFolder::decode(const Match& match) const {
  const catalog::Signature& signature = *match.signature;
  if (!signature.decode.empty()) {
    const Decoder* decoder = plan_.entries[index_of(match)].decoder;
    return decoder == nullptr ? std::vector<model::Event>{} : decoder->decode(match, catalog_);
  }
  model::Event event;
  event.signal = signature.signal;
  event.level = signature.level;
  event.params = params_of(match);
  event.subject = subject_of(signature, event.params);
  return {std::move(event)};
}

void EventFolder::remember(const Match& match) {
  const std::size_t index = index_of(match);
  if (!plan_.entries[index].is_inherited_from) return;
  Inherited& inherited = inherited_[index];
  inherited.line_number = match.line_number;
  inherited.signature = index;
  inherited.line.assign(match.line);
  for (std::size_t i = 0; i < match.signature->captures.size(); ++i) {
    const std::string_view capture = match.captures[i];
    const bool inside =
        capture.data() >= match.line.data() && capture.data() <= match.line.data() + match.line.size();
    inherited.captures[i] = {inside ? static_cast<std::size_t>(capture.data() - match.line.data()) : 0,
                             inside ? capture.size() : 0};
  }
}

void EventFolder::start(std::uint64_t key, const Match& match) {
  if (slots_.size() >= kMaxSlots) {
    ++dropped_;
    return;
  }
  std::vector<model::Event> decoded = decode(match);
  Slot slot;
  slot.first_event = events_.size();
  slot.event_count = decoded.size();
  slot.count = 1;
  const LinePrefix prefix = read_line_prefix(match.raw);
  for (model::Event& event : decoded) {
    event.signature = match.signature->id;
    event.first = event.last = prefix.time;
    if (event.subject.host.empty()) event.subject.host = prefix.host;
    if (prefix.is_foreign && only_kernel_says(event.signal)) event.level = model::EventLevel::Context;
    event.evidence.push_back(model::Evidence{input_, match.line_number, base::printable(match.line)});
    remember_values(event, event.params);
    events_.push_back(std::move(event));
  }
  slots_.emplace(key, std::move(slot));
}

void EventFolder::repeat(Slot& slot, const Match& match) {
  ++slot.count;
  slot.last_line_number = match.line_number;
  slot.last_line.assign(match.raw.substr(0, kLineKept));
  if (slot.count > kRepeatsLookedInto) return;
  const std::vector<model::Event> decoded = decode(match);
  for (std::size_t i = 0; i < decoded.size() && i < slot.event_count; ++i) {
    model::Event& event = events_[slot.first_event + i];
    remember_values(event, decoded[i].params);
    if (event.evidence.size() < kEvidenceLines) {
      event.evidence.push_back(model::Evidence{input_, match.line_number, base::printable(match.line)});
    }
  }
}

void EventFolder::add(const Match& match) {
  remember(match);
  const std::uint64_t key = key_of(match);
  const auto at = slots_.find(key);
  if (at == slots_.end()) {
    start(key, match);
  } else {
    repeat(at->second, match);
  }
}

void EventFolder::close(const Slot& slot) {
  for (std::size_t i = slot.first_event; i < slot.first_event + slot.event_count; ++i) {
    model::Event& event = events_[i];
    event.count *= slot.count;
    if (slot.last_line_number == 0) continue;
    event.last = read_line_prefix(slot.last_line).time;
    if (event.evidence.back().line < slot.last_line_number)
      event.evidence.push_back(
          model::Evidence{input_, slot.last_line_number, base::printable(slot.last_line)});
  }
}

std::vector<model::Event> EventFolder::take() {
  for (const auto& entry : slots_) close(entry.second);
  slots_.clear();
  return std::move(events_);
}

}  // namespace gpuwright::parse
