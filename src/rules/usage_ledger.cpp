// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "rules/usage_ledger.h"

#include <algorithm>

namespace gpuwright::rules {

using model::GpuMoment;
using model::GpuTime;
using model::SickReason;
using model::UsageClass;

namespace {

constexpr double kSecondsPerHour = 3600;

std::size_t index_of(UsageClass what) {
  return static_cast<std::size_t>(what);
}

/// Which of a holder's three sums a class goes into; 3: none.
std::size_t holder_sum(UsageClass what) {
  return what == UsageClass::Used ? 0 : what == UsageClass::Throttled ? 1 : what == UsageClass::Idle ? 2 : 3;
}

}  // namespace

UsageCounter::UsageCounter(std::vector<model::FleetGpu> gpus, UsageLimits limits, std::int64_t step)
    : gpus_(std::move(gpus)), limits_(limits), states_(gpus_.size()) {
  ledger_.step = step;
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i].usage.gpu = i;
}

UsageCounter::Doing UsageCounter::doing_of(const GpuMoment& moment) const {
  if (!moment.known) return Doing::Nothing;
  const bool held = !moment.holders.empty();
  // Who holds a GPU whose activity nobody tells is believed to use it.
  const bool busy = moment.activity ? *moment.activity >= limits_.idle_load : held;
  if (moment.sick == SickReason::Critical && busy) return held ? Doing::Busy : Doing::BusyUnheld;
  if (moment.sick != SickReason::None) return Doing::Sick;
  if (busy) return held ? Doing::Busy : Doing::BusyUnheld;
  return held ? Doing::IdleHeld : Doing::Free;
}

void UsageCounter::add(const std::vector<GpuMoment>& moments, std::optional<double> least_wanted) {
  std::map<std::uint32_t, std::int64_t> free;
  for (const GpuMoment& moment : moments) {
    if (doing_of(moment) == Doing::Free) ++free[moment.node];
  }
  ++ledger_.moments;
  for (std::size_t i = 0; i < moments.size() && i < states_.size(); ++i) {
    const auto here = free.find(moments[i].node);
    const bool fits =
        !least_wanted || here == free.end() || static_cast<double>(here->second) >= *least_wanted;
    take(i, moments[i], fits ? UsageClass::Unallocated : UsageClass::Fragmented);
  }
}

void UsageCounter::remember(State& state, const GpuMoment& moment) const {
  const bool same = state.usage.sick_now == moment.sick && state.usage.known_now == moment.known;
  state.usage.same_for = (same ? state.usage.same_for : 0) + ledger_.step;
  state.usage.sick_now = moment.sick;
  state.usage.known_now = moment.known;
  state.usage.node = moment.node;
  state.ever_known = state.ever_known || moment.known;
}

void UsageCounter::take(std::size_t gpu, const GpuMoment& moment, UsageClass free_class) {
  State& state = states_[gpu];
  const Doing doing = doing_of(moment);
  const bool goes_on =
      state.pause.doing == doing &&
      (doing == Doing::Free || (doing == Doing::IdleHeld && state.pause.holders == moment.holders));
  if (!goes_on) end_pause(gpu, doing);
  switch (doing) {
    case Doing::Nothing:
      credit(gpu, UsageClass::Unknown, {}, {});
      break;
    case Doing::Sick:
      credit(gpu, UsageClass::Sick, {}, {});
      ledger_.sick_seconds[static_cast<std::size_t>(moment.sick)] += ledger_.step;
      break;
    case Doing::Busy:
    case Doing::BusyUnheld:
      credit(gpu, moment.held_back ? UsageClass::Throttled : UsageClass::Used, moment.holders, moment.clock);
      break;
    case Doing::IdleHeld:
      pause(gpu, doing, moment, UsageClass::Idle);
      break;
    case Doing::Free:
      pause(gpu, doing, moment, free_class);
      break;
  }
  state.before = doing;
  remember(state, moment);
}

/// A pause of a holder is his work until it is long. A free GPU is free at once, but for a pause of somebody
/// whom nobody knows.
void UsageCounter::pause(std::size_t gpu, Doing doing, const GpuMoment& moment, UsageClass if_long) {
  State& state = states_[gpu];
  Pause& pause = state.pause;
  if (pause.doing == Doing::Nothing) {
    pause = {doing, doing == Doing::Free && state.before != Doing::BusyUnheld, moment.holders, {}};
  }
  if (pause.decided) {
    credit(gpu, if_long, pause.holders, {});
    return;
  }
  pause.waiting.push_back(if_long);
  if (static_cast<std::int64_t>(pause.waiting.size()) * ledger_.step < limits_.idle_seconds) return;
  for (const UsageClass what : pause.waiting) credit(gpu, what, pause.holders, {});
  pause.waiting.clear();
  pause.decided = true;
}

void UsageCounter::end_pause(std::size_t gpu, Doing next) {
  Pause& pause = states_[gpu].pause;
  const bool work = pause.doing == Doing::IdleHeld || next == Doing::BusyUnheld;
  for (const UsageClass what : pause.waiting) credit(gpu, work ? UsageClass::Used : what, pause.holders, {});
  pause = {};
}

void UsageCounter::credit(std::size_t gpu, UsageClass what, const std::vector<std::uint32_t>& holders,
                          std::optional<double> clock) {
  GpuTime time;
  time.seconds = ledger_.step;
  const auto all = static_cast<double>(ledger_.step);
  if (what == UsageClass::Throttled) {
    time.lost_seconds = clock ? all * std::clamp(1 - *clock, 0.0, 1.0) : 0;
    ledger_.clock_unknown = ledger_.clock_unknown || !clock;
  } else if (what != UsageClass::Used && what != UsageClass::Unknown) {
    time.lost_seconds = all;
  }
  const double price = gpus_[gpu].price_per_hour.value_or(0) / kSecondsPerHour;
  time.cost = all * price;
  time.lost_cost = time.lost_seconds * price;
  states_[gpu].usage.seconds[index_of(what)] += time.seconds;
  GpuTime& sum = ledger_.classes[index_of(what)];
  sum.seconds += time.seconds;
  sum.lost_seconds += time.lost_seconds;
  sum.cost += time.cost;
  sum.lost_cost += time.lost_cost;
  credit_holders(time, what, holders);
}

void UsageCounter::credit_holders(const GpuTime& time, UsageClass what,
                                  const std::vector<std::uint32_t>& holders) {
  const std::size_t sum = holder_sum(what);
  constexpr std::size_t kNone = 3;
  if (sum == kNone) return;
  const std::vector<std::uint32_t> nobody = {0};
  const auto& who = holders.empty() ? nobody : holders;
  const double share = 1 / static_cast<double>(who.size());
  for (const std::uint32_t holder : who) {
    model::HolderUsage& usage = holders_[holder];
    usage.holder = holder;
    usage.seconds[sum] += static_cast<double>(time.seconds) * share;
    usage.lost_seconds += time.lost_seconds * share;
    usage.cost += time.cost * share;
    usage.lost_cost += time.lost_cost * share;
  }
}

model::UsageLedger UsageCounter::finish() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    end_pause(i, Doing::Nothing);
    State& state = states_[i];
    if (state.ever_known) {
      ledger_.gpus.push_back(state.usage);
      ledger_.priced_gpus += gpus_[i].price_per_hour ? 1 : 0;
      continue;
    }
    // It is no part of this fleet in this time.
    GpuTime& unknown = ledger_.classes[index_of(UsageClass::Unknown)];
    const std::int64_t seconds = state.usage.seconds[index_of(UsageClass::Unknown)];
    unknown.seconds -= seconds;
    unknown.cost -= static_cast<double>(seconds) * gpus_[i].price_per_hour.value_or(0) / kSecondsPerHour;
  }
  for (const auto& [number, usage] : holders_) ledger_.holders.push_back(usage);
  std::stable_sort(ledger_.holders.begin(), ledger_.holders.end(),
                   [](const auto& a, const auto& b) { return a.all() > b.all(); });
  return std::move(ledger_);
}

}  // namespace gpuwright::rules
