// Puts what a Prometheus told, quantity by quantity, together into moments of GPUs. Pure. Quantities are
// those of data/fleet/queries.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/usage.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::rules {

/// The GPUs that lists of series tell, each once; where several names speak of one, the first that tells
/// something counts. Series without a UUID are none.
std::vector<model::FleetGpu> fleet_gpus(const std::vector<model::LabelledSeries>& series);

class UsageMoments {
 public:
  UsageMoments(const std::vector<model::FleetGpu>& gpus, std::int64_t step);

  /// A stretch of `count` moments from `begin` (Unix seconds) on; what was taken before is dropped. Stretches
  /// come in the order of time.
  void begin(std::int64_t begin, std::size_t count);
  /// One answer. What an earlier one of the same quantity told of a moment stays.
  void take(const std::string& quantity, const std::vector<model::LabelledSeries>& answer);
  /// The GPUs at that moment of the stretch; ask in order.
  std::vector<model::GpuMoment> at(std::size_t moment);
  /// The fewest GPUs on one node that something waits for then.
  std::optional<double> least_wanted(std::size_t moment) const;

  /// Whether somebody told what waits, nothing included.
  bool queue_known() const { return queue_known_; }
  /// By number; 0 is nobody known.
  const std::vector<model::FleetHolder>& holders() const { return holders_; }
  /// By number: what Prometheus calls the nodes.
  const std::vector<std::string>& nodes() const { return nodes_; }

 private:
  /// What is told of one GPU at one moment. `..._by`: the answer that told it, counted from 1.
  struct Cell {
    std::int32_t alive_by = 0, holders_by = 0;
    bool alive = false;
    bool critical = false;
    std::optional<bool> held_back;
    std::optional<double> activity, clock;
    std::uint32_t node = 0;
    std::vector<std::uint32_t> holders;
  };
  using Targets = std::map<std::pair<std::string, std::string>, std::vector<std::int8_t>>;

  Cell& cell(std::size_t gpu, std::size_t moment) { return cells_[gpu * count_ + moment]; }
  std::optional<std::size_t> moment_of(double time) const;
  std::vector<std::size_t> gpus_of(const model::LabelledSeries& one) const;
  /// What an answer of GPUs is about.
  enum class Quantity : std::uint8_t { Alive, Activity, Clock, HeldBack, Critical, Holder, None };
  static Quantity quantity_of(const std::string& name);
  /// `number`: of the node with Alive, of the holder with Holder.
  void take_value(Quantity quantity, std::uint32_t number, Cell& into, double value) const;
  void take_gpus(Quantity quantity, const model::LabelledSeries& one);
  void take_target(const model::LabelledSeries& one);
  void take_waiting(const model::LabelledSeries& one);
  std::uint32_t holder_number(const model::LabelledSeries& one);
  std::uint32_t node_number(const std::string& instance);
  model::GpuMoment told(const Cell& cell) const;
  model::GpuMoment untold(std::size_t gpu, std::size_t moment) const;

  const std::vector<model::FleetGpu>& gpus_;
  std::int64_t step_;
  std::int64_t begin_ = 0;
  std::size_t count_ = 0;
  std::int32_t answer_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::optional<double>> wanted_;
  Targets targets_;
  bool queue_known_ = false;
  std::map<std::string, std::size_t> by_uuid_;
  std::vector<model::FleetHolder> holders_;
  std::map<std::string, std::uint32_t> holder_numbers_;
  std::vector<std::string> nodes_;
  std::map<std::string, std::uint32_t> node_numbers_;
  std::vector<std::uint32_t> where_;  ///< of each GPU: the node that it was last seen on
  std::vector<bool> seen_;            ///< of each GPU: it has answered
  std::map<std::pair<std::uint32_t, std::string>, std::size_t>
      places_;  ///< node and number: who was last there
};

}  // namespace gpuwright::rules
