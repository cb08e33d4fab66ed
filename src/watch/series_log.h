// Which values of a node are kept in its history: those that the column `history` of
// data/metrics/families.csv names, as they are or (counters) as what they grow by in a second. Series go by
// catalog::short_key. What is not fresh is not there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/metric.h"
#include "model/node_state.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::watch {

class SeriesLog {
 public:
  /// The number of a series, the same for the same names (Historian::series).
  using Number = std::function<std::uint32_t(const std::string& metric, const std::string& uuid)>;
  struct Freshness {
    double often_s = 3;   ///< an older value of what is asked often is not kept
    double whole_s = 15;  ///< of the rest
  };

  /// Table and plan must outlive it.
  SeriesLog(const catalog::Metrics& metrics, const std::vector<catalog::PlannedSeries>& series,
            const Freshness& freshness, Number number);

  /// The values of this moment. A series may stand twice: the first counts (a rate that was measured goes
  /// before what the driver tells).
  std::vector<std::pair<std::uint32_t, double>> values(const model::NodeState& state);

 private:
  using Values = std::vector<std::pair<std::uint32_t, double>>;
  /// A counter as it was last read.
  struct Counter {
    double count = 0;
    double at_s = 0;
    double rate = -1;  ///< negative: not known
  };

  const std::vector<std::uint32_t>& numbers_of(const std::string& uuid);
  void add_gpu(const model::NodeState& state, const model::GpuState& gpu, Values& values);
  void add_host(const model::NodeState& state, Values& values);
  void add_self(const model::NodeState& state, Values& values);
  /// `at_s`: when the value was read.
  void add(const catalog::MetricFamilyRow& family, std::uint32_t number, double value, double at_s,
           Values& values);

  const std::vector<catalog::PlannedSeries>& series_;
  Freshness freshness_;
  Number number_;
  std::map<std::string, const catalog::MetricFamilyRow*, std::less<>> kept_;  ///< by name
  std::map<std::string, std::vector<std::uint32_t>> numbers_;  ///< of each series of the plan, by GPU
  std::map<std::uint32_t, Counter> counters_;
  double survey_s_ = 0;  ///< that host_ was made of
  Values host_;
};

}  // namespace gpuwright::watch
