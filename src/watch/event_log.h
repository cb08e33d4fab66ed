// Events on their way into the history. One that comes again and again is written at once, then as ever
// longer sums (a minute at most), so that a storm neither fills the file nor goes unseen. Pure: time comes
// from the caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/history.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace gpuwright::watch {

class EventLog {
 public:
  static constexpr std::size_t kMostKinds = 256;  ///< of distinct events at a time
  static constexpr double kLongest_s = 60;

  /// Takes one that happens now. Of more than kMostKinds distinct ones the rest are only counted.
  void add(model::HistoryEvent event);
  /// What is to be written at this moment of a clock that only grows.
  std::vector<model::HistoryEvent> due(double now_s);
  /// All that waits, for the end.
  std::vector<model::HistoryEvent> rest();

 private:
  /// Kind, subject, code, what else tells it apart, and whether it is verified.
  using Key = std::tuple<std::string, std::string, std::string, std::string, model::Origin>;
  struct Fold {
    model::HistoryEvent event;  ///< the first that waits
    std::int64_t waiting = 0;
    double wait_s = 0;
    double next_s = 0;
  };
  void note_left_out(std::vector<model::HistoryEvent>& events);

  std::map<Key, Fold> folds_;
  std::int64_t left_out_ = 0;
  double next_note_s_ = 0;
};

}  // namespace gpuwright::watch
