// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/event_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace gpuwright::watch {

namespace {

/// The text without its numbers: "process 41" and "process 42" are one storm.
std::string without_numbers(const std::string& text) {
  std::string words;
  for (const char c : text) {
    if (c < '0' || c > '9') words += c;
  }
  return words;
}

model::HistoryEvent take(model::HistoryEvent& event, std::int64_t& waiting) {
  model::HistoryEvent one = std::move(event);
  one.count = std::exchange(waiting, 0);
  return one;
}

}  // namespace

void EventLog::add(model::HistoryEvent event) {
  const std::string subject = event.uuid.empty() ? event.pci : event.uuid;
  const Key key{event.kind, subject, event.code, event.code.empty() ? without_numbers(event.text) : "",
                event.origin};
  auto at = folds_.find(key);
  if (at == folds_.end()) {
    if (folds_.size() >= kMostKinds) {
      ++left_out_;
      return;
    }
    at = folds_.try_emplace(key).first;
  }
  Fold& fold = at->second;
  const std::int64_t count = std::max<std::int64_t>(event.count, 1);
  if (fold.waiting == 0) fold.event = std::move(event);
  fold.waiting += count;
}

std::vector<model::HistoryEvent> EventLog::due(double now_s) {
  std::vector<model::HistoryEvent> events;
  for (auto at = folds_.begin(); at != folds_.end();) {
    Fold& fold = at->second;
    if (now_s < fold.next_s) {
      ++at;
      continue;
    }
    if (fold.waiting == 0) {  // quiet for as long as it would have waited
      at = folds_.erase(at);
      continue;
    }
    events.push_back(take(fold.event, fold.waiting));
    fold.wait_s = std::clamp(2 * fold.wait_s, 1.0, kLongest_s);
    fold.next_s = now_s + fold.wait_s;
    ++at;
  }
  if (left_out_ > 0 && now_s >= next_note_s_) {
    next_note_s_ = now_s + kLongest_s;
    note_left_out(events);
  }
  return events;
}

void EventLog::note_left_out(std::vector<model::HistoryEvent>& events) {
  if (left_out_ == 0) return;
  model::HistoryEvent note;
  note.kind = "history";
  note.code = "left out";
  note.text = fmt::format("{} events of more than {} distinct kinds were not written", left_out_, kMostKinds);
  note.count = std::exchange(left_out_, 0);
  events.push_back(std::move(note));
}

std::vector<model::HistoryEvent> EventLog::rest() {
  std::vector<model::HistoryEvent> events;
  for (auto& [key, fold] : folds_) {
    if (fold.waiting > 0) events.push_back(take(fold.event, fold.waiting));
  }
  note_left_out(events);
  return events;
}

}  // namespace gpuwright::watch
