// SPDX-License-Identifier: Apache-2.0
#include "watch/history_frames.h"

#include "base/frames.h"
#include "watch/pack.h"

#include <algorithm>
#include <map>

namespace gpuwright::watch {

namespace {

using base::ErrorKind;
using model::HistoryAnswer;
using model::HistoryQuery;

base::Error damaged(const char* what) {
  return base::make_error(ErrorKind::Malformed, std::string("a damaged frame: ") + what);
}

// Each noun names its fields once; `Pack` writes them, `Unpack` reads them.

class Pack {
 public:
  static constexpr bool kReads = false;
  Pack& field(std::int64_t value) { return out_.zigzag(value), *this; }
  Pack& field(std::uint64_t value) { return out_.varint(value), *this; }
  Pack& field(bool value) { return out_.varint(value ? 1 : 0), *this; }
  Pack& field(double value) { return out_.plain(value), *this; }
  Pack& field(const std::string& text) { return out_.text(text), *this; }
  template <class T>
  Pack& field(const std::optional<T>& value) {
    field(value.has_value());
    return value ? field(*value) : *this;
  }
  template <class T>
  Pack& list(const std::vector<T>& items) {
    out_.varint(items.size());
    for (const T& item : items)
      each_field(*this, const_cast<T&>(item));  // NOLINT: one list of fields for both
    return *this;
  }
  Pack& map(const std::map<std::string, std::string>& entries) {
    out_.varint(entries.size());
    for (const auto& [key, value] : entries) field(key).field(value);
    return *this;
  }
  PackWriter& out() { return out_; }

 private:
  PackWriter out_;
};

class Unpack {
 public:
  static constexpr bool kReads = true;
  explicit Unpack(std::string_view bytes) : in_(bytes) {}
  Unpack& field(std::int64_t& value) { return value = in_.zigzag(), *this; }
  Unpack& field(std::uint64_t& value) { return value = in_.varint(), *this; }
  Unpack& field(bool& value) { return value = in_.varint() != 0, *this; }
  Unpack& field(double& value) { return value = in_.plain(), *this; }
  Unpack& field(std::string& text) { return text = in_.text(), *this; }
  template <class T>
  Unpack& field(std::optional<T>& value) {
    bool there = false;
    field(there);
    if (there) field(value.emplace());
    return *this;
  }
  template <class T>
  Unpack& list(std::vector<T>& items) {
    const std::size_t count = in_.count();
    for (std::size_t i = 0; i < count && in_.ok(); ++i) {
      items.emplace_back();
      each_field(*this, items.back());
    }
    return *this;
  }
  Unpack& map(std::map<std::string, std::string>& entries) {
    const std::size_t count = in_.count();
    for (std::size_t i = 0; i < count && in_.ok(); ++i) {
      const std::string key = in_.text();
      field(entries[key]);
    }
    return *this;
  }
  PackReader& in() { return in_; }

 private:
  PackReader in_;
};

template <class Archive>
void each_field(Archive& to, std::string& text) {
  to.field(text);
}

template <class Archive, class Enum>
void enum_field(Archive& to, Enum& value, Enum last) {
  auto number = static_cast<std::uint64_t>(value);
  to.field(number);
  if constexpr (Archive::kReads)
    value = static_cast<Enum>(std::min<std::uint64_t>(number, static_cast<std::uint64_t>(last)));
}

template <class Archive>
void each_field(Archive& to, model::HistoryEvent& event) {
  to.field(event.time_ms).field(event.boot_id).field(event.kind).field(event.uuid).field(event.pci);
  to.field(event.code).field(event.text).field(event.count);
  enum_field(to, event.origin, model::Origin::Unverified);
}

template <class Archive>
void each_field(Archive& to, model::Incident& incident) {
  to.field(incident.id).field(incident.cause).field(incident.subject).field(incident.severity);
  to.field(incident.start_ms).field(incident.end_ms).field(incident.ended_by).list(incident.evidence);
  to.field(incident.device).field(incident.title).map(incident.params).field(incident.boot_id);
}

template <class Archive>
void each_field(Archive& to, model::StateChange& change) {
  to.field(change.time_ms).field(change.subject).field(change.what).field(change.from).field(change.to);
  to.field(change.reason);
}

template <class Archive>
void each_field(Archive& to, model::JobSeen& job) {
  to.field(job.kind).field(job.id).field(job.user).field(job.queue).list(job.gpu_uuids);
  to.field(job.start_ms).field(job.end_ms);
}

template <class Archive>
void each_field(Archive& to, model::SeriesBucket& bucket) {
  to.field(bucket.time_ms).field(bucket.min).field(bucket.mean).field(bucket.max);
}

template <class Archive>
void each_field(Archive& to, model::SeriesData& series) {
  to.field(series.metric).field(series.uuid).field(series.step_ms).list(series.buckets);
}

template <class Archive>
void each_field(Archive& to, HistoryQuery& query) {
  enum_field(to, query.topic, model::HistoryTopic::LastStates);
  to.field(query.since_ms).field(query.until_ms).field(query.uuid).field(query.metric).field(query.limit);
  to.field(query.boot_id);
}

template <class Archive>
void each_field(Archive& to, HistoryAnswer& answer) {
  to.field(answer.error).field(answer.cut).list(answer.events).list(answer.incidents).list(answer.changes);
  to.list(answer.jobs).list(answer.series).field(answer.newest_ms);
  to.field(answer.newest_boot);
}

template <class Archive>
void each_field(Archive& to, HistoryTick& tick) {
  to.field(tick.time_ms).field(tick.mono_ms).field(tick.boot_id).list(tick.events).list(tick.incidents);
  to.list(tick.changes).list(tick.jobs);
}

template <class Archive>
void each_field(Archive& to, StateFrame& state) {
  to.field(state.taken).field(state.lost).field(state.used_bytes).field(state.write_us);
  enum_field(to, state.condition, HistoryCondition::Off);
  to.field(state.message);
}

/// Values as runs of numbers, as in the file.
void pack_tick_values(PackWriter& out, const HistoryTick& tick) {
  out.varint(tick.values.size());
  std::uint32_t last = 0;
  for (const auto& [number, value] : tick.values) {
    out.zigzag(static_cast<std::int64_t>(number) - last).number(value);
    last = number;
  }
}

void unpack_tick_values(PackReader& in, HistoryTick& tick) {
  const std::size_t count = in.count();
  std::int64_t last = 0;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::int64_t step = in.zigzag();
    if (step > UINT32_MAX || step < -std::int64_t{UINT32_MAX} || last + step < 0 || last + step > UINT32_MAX)
      return in.fail();
    last += step;
    tick.values.emplace_back(static_cast<std::uint32_t>(last), in.number());
  }
}

template <class T>
T& writable(const T& noun) {
  return const_cast<T&>(noun);  // NOLINT: one list of fields for both ways; Pack changes nothing
}

}  // namespace

std::string encode_frame(FrameKind kind, std::string_view content) {
  return base::frame_bytes(static_cast<char>(kind), content, kMostFrameBytes);
}

base::Result<std::optional<Frame>> FrameCutter::next() {
  constexpr std::string_view kLetters = "NTQDSA";
  const std::string_view before = std::string_view(buffer_).substr(at_);
  std::string_view left = before;
  bool broken = false;
  const auto taken = base::take_frame(left, broken, kMostFrameBytes);
  if (broken || (taken && kLetters.find(taken->tag) == std::string_view::npos))
    return damaged("no frame begins here");
  if (!taken) {
    buffer_.erase(0, std::exchange(at_, 0));
    return std::optional<Frame>();
  }
  at_ += before.size() - left.size();
  return std::optional<Frame>({static_cast<FrameKind>(taken->tag), std::string(taken->content)});
}

const char* condition_name(HistoryCondition condition) {
  switch (condition) {
    case HistoryCondition::Opening:
      return "opening";
    case HistoryCondition::Ok:
      return "ok";
    case HistoryCondition::Full:
      return "full";
    case HistoryCondition::SetAside:
      return "set aside";
    case HistoryCondition::Hung:
      return "hung";
    case HistoryCondition::Off:
      break;
  }
  return "off";
}

std::string encode(const NameFrame& name) {
  PackWriter out;
  return out.varint(name.number).text(name.metric).text(name.uuid).take();
}

base::Result<NameFrame> decode_name(std::string_view content) {
  PackReader in(content);
  const std::uint64_t number = in.varint();
  NameFrame name{static_cast<std::uint32_t>(number), in.text(), in.text()};
  if (!in.done() || number > UINT32_MAX) return damaged("name");
  return name;
}

std::string encode(const TickFrame& tick) {
  Pack pack;
  pack.field(tick.number);
  each_field(pack, writable(tick.tick));
  pack_tick_values(pack.out(), tick.tick);
  return pack.out().take();
}

base::Result<TickFrame> decode_tick(std::string_view content) {
  Unpack unpack(content);
  TickFrame tick;
  unpack.field(tick.number);
  each_field(unpack, tick.tick);
  unpack_tick_values(unpack.in(), tick.tick);
  if (!unpack.in().done()) return damaged("tick");
  return tick;
}

std::string encode(const QueryFrame& query) {
  Pack pack;
  pack.field(query.number);
  each_field(pack, writable(query.query));
  return pack.out().take();
}

base::Result<QueryFrame> decode_query(std::string_view content) {
  Unpack unpack(content);
  QueryFrame query;
  unpack.field(query.number);
  each_field(unpack, query.query);
  if (!unpack.in().done()) return damaged("query");
  return query;
}

std::string encode(const AnswerFrame& answer) {
  Pack pack;
  pack.field(answer.number);
  each_field(pack, writable(answer.answer));
  return pack.out().take();
}

base::Result<AnswerFrame> decode_answer(std::string_view content) {
  Unpack unpack(content);
  AnswerFrame answer;
  unpack.field(answer.number);
  each_field(unpack, answer.answer);
  if (!unpack.in().done()) return damaged("answer");
  return answer;
}

std::string encode(const StateFrame& state) {
  Pack pack;
  each_field(pack, writable(state));
  return pack.out().take();
}

base::Result<StateFrame> decode_state(std::string_view content) {
  Unpack unpack(content);
  StateFrame state;
  each_field(unpack, state);
  if (!unpack.in().done()) return damaged("state");
  return state;
}

}  // namespace gpuwright::watch
