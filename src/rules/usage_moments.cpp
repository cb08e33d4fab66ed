// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "rules/usage_moments.h"

#include <algorithm>
#include <cmath>

namespace gpuwright::rules {

using model::GpuMoment;
using model::LabelledSeries;
using model::SickReason;

namespace {

/// The first of these labels that says something.
std::string first_label(const LabelledSeries& one, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!one.label(name).empty()) return one.label(name);
  }
  return {};
}

/// The namespace within "pod/NAMESPACE/POD/CONTAINER".
std::string namespace_of(const std::string& holder) {
  if (!holder.starts_with("pod/")) return {};
  const std::size_t end = holder.find('/', 4);
  return end == std::string::npos ? std::string() : holder.substr(4, end - 4);
}

}  // namespace

std::vector<model::FleetGpu> fleet_gpus(const std::vector<LabelledSeries>& series) {
  std::vector<model::FleetGpu> gpus;
  std::map<std::string, std::size_t> known;
  for (const LabelledSeries& one : series) {
    const std::string uuid = first_label(one, {"uuid", "UUID"});
    if (uuid.empty()) continue;
    const auto [at, fresh] = known.try_emplace(uuid, gpus.size());
    if (fresh) gpus.push_back({uuid, one.label("job"), one.label("instance"), one.label("gpu"), {}, {}});
    std::string& name = gpus[at->second].name;
    if (name.empty()) name = first_label(one, {"name", "modelName"});
  }
  return gpus;
}

UsageMoments::UsageMoments(const std::vector<model::FleetGpu>& gpus, std::int64_t step)
    : gpus_(gpus), step_(step), holders_(1), where_(gpus.size()), seen_(gpus.size()) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    by_uuid_[gpus[i].uuid] = i;
    where_[i] = node_number(gpus[i].instance);
  }
}

std::uint32_t UsageMoments::node_number(const std::string& instance) {
  const auto [at, fresh] = node_numbers_.try_emplace(instance, static_cast<std::uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back(instance);
  return at->second;
}

std::uint32_t UsageMoments::holder_number(const LabelledSeries& one) {
  const std::string& name = one.label("holder");
  const std::string user = one.label("user").empty() ? namespace_of(name) : one.label("user");
  const auto [at, fresh] =
      holder_numbers_.try_emplace(name + '\n' + user, static_cast<std::uint32_t>(holders_.size()));
  if (fresh) holders_.push_back({name, user});
  return at->second;
}

void UsageMoments::begin(std::int64_t begin, std::size_t count) {
  begin_ = begin;
  count_ = count;
  cells_.assign(gpus_.size() * count, {});
  wanted_.assign(count, {});
  targets_.clear();
}

std::optional<std::size_t> UsageMoments::moment_of(double time) const {
  const double at = std::round((time - static_cast<double>(begin_)) / static_cast<double>(step_));
  if (!(at >= 0) || at >= static_cast<double>(count_)) return std::nullopt;
  return static_cast<std::size_t>(at);
}

/// Whom a series speaks of: of one GPU, or without a UUID of all of its node.
std::vector<std::size_t> UsageMoments::gpus_of(const LabelledSeries& one) const {
  const std::string& uuid = one.label("uuid");
  if (!uuid.empty()) {
    const auto at = by_uuid_.find(uuid);
    return at == by_uuid_.end() ? std::vector<std::size_t>() : std::vector<std::size_t>{at->second};
  }
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (nodes_[where_[i]] == one.label("instance")) all.push_back(i);
  }
  return all;
}

void UsageMoments::take_target(const LabelledSeries& one) {
  auto& states = targets_[{one.label("job"), one.label("instance")}];
  states.resize(count_, -1);
  for (const auto& [time, value] : one.points) {
    if (const auto moment = moment_of(time)) states[*moment] = value != 0 ? 1 : 0;
  }
}

void UsageMoments::take_waiting(const LabelledSeries& one) {
  for (const auto& [time, value] : one.points) {
    const auto moment = moment_of(time);
    if (moment && value > 0 && (!wanted_[*moment] || value < *wanted_[*moment])) wanted_[*moment] = value;
  }
}

UsageMoments::Quantity UsageMoments::quantity_of(const std::string& name) {
  static const std::map<std::string, Quantity> kNames = {
      {"alive", Quantity::Alive},        {"activity", Quantity::Activity}, {"clock", Quantity::Clock},
      {"held_back", Quantity::HeldBack}, {"critical", Quantity::Critical}, {"holder", Quantity::Holder}};
  const auto at = kNames.find(name);
  return at == kNames.end() ? Quantity::None : at->second;
}

void UsageMoments::take_value(Quantity quantity, std::uint32_t number, Cell& into, double value) const {
  const auto may_tell = [this](std::int32_t by) { return by == 0 || by == answer_; };
  switch (quantity) {
    case Quantity::Alive:
      if (!may_tell(into.alive_by)) break;
      into.alive = (into.alive_by == answer_ && into.alive) || value != 0;
      into.alive_by = answer_;
      into.node = number;
      break;
    case Quantity::Activity:
      if (!into.activity) into.activity = value;
      break;
    case Quantity::Clock:
      if (!into.clock) into.clock = value;
      break;
    case Quantity::HeldBack:
      if (!into.held_back) into.held_back = value != 0;
      break;
    case Quantity::Critical:
      into.critical = true;
      break;
    case Quantity::Holder:
      if (!may_tell(into.holders_by)) break;
      into.holders_by = answer_;
      into.holders.push_back(number);
      break;
    case Quantity::None:
      break;
  }
}

void UsageMoments::take_gpus(Quantity quantity, const LabelledSeries& one) {
  const std::uint32_t number = quantity == Quantity::Alive    ? node_number(one.label("instance"))
                               : quantity == Quantity::Holder ? holder_number(one)
                                                              : 0;
  for (const std::size_t gpu : gpus_of(one)) {
    for (const auto& [time, value] : one.points) {
      if (const auto moment = moment_of(time)) take_value(quantity, number, cell(gpu, *moment), value);
    }
  }
}

void UsageMoments::take(const std::string& quantity, const std::vector<LabelledSeries>& answer) {
  ++answer_;
  const Quantity of_gpus = quantity_of(quantity);
  for (const LabelledSeries& one : answer) {
    if (quantity == "queue") {
      queue_known_ = queue_known_ || !one.points.empty();
    } else if (quantity == "waiting") {
      take_waiting(one);
    } else if (quantity == "target") {
      take_target(one);
    } else if (of_gpus == Quantity::Critical || !one.label("uuid").empty()) {
      take_gpus(of_gpus, one);
    }
  }
}

GpuMoment UsageMoments::told(const Cell& cell) const {
  GpuMoment moment;
  moment.known = true;
  moment.node = cell.node;
  moment.sick = !cell.alive ? SickReason::GpuSilent : cell.critical ? SickReason::Critical : SickReason::None;
  moment.activity = cell.activity;
  moment.held_back = cell.held_back.value_or(false);
  moment.clock = cell.clock;
  moment.holders = cell.holders;
  std::sort(moment.holders.begin(), moment.holders.end());
  moment.holders.erase(std::unique(moment.holders.begin(), moment.holders.end()), moment.holders.end());
  return moment;
}

/// Nobody speaks of it. Then its node tells: it is silent, or it answers and the GPU has gone. A board in
/// whose place another one stands was replaced.
GpuMoment UsageMoments::untold(std::size_t gpu, std::size_t moment) const {
  GpuMoment result;
  result.node = where_[gpu];
  const auto place = places_.find({where_[gpu], gpus_[gpu].index});
  if (place != places_.end() && place->second != gpu) return result;
  const auto target = targets_.find({gpus_[gpu].job, nodes_[where_[gpu]]});
  const int state = target == targets_.end() ? -1 : target->second[moment];
  if (state == 0) result.sick = SickReason::NodeSilent;
  if (state == 1 && seen_[gpu]) result.sick = SickReason::Gone;
  result.known = result.sick != SickReason::None;
  return result;
}

std::vector<GpuMoment> UsageMoments::at(std::size_t moment) {
  std::vector<GpuMoment> all(gpus_.size());
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const Cell& one = cell(i, moment);
    if (one.alive_by == 0) continue;
    all[i] = told(one);
    where_[i] = one.node;
    seen_[i] = true;
    places_[{one.node, gpus_[i].index}] = i;
  }
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (cell(i, moment).alive_by == 0) all[i] = untold(i, moment);
  }
  return all;
}

std::optional<double> UsageMoments::least_wanted(std::size_t moment) const {
  return wanted_[moment];
}

}  // namespace gpuwright::rules
