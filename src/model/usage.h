// Where the GPU time of a fleet went: each GPU at each moment as a Prometheus remembers it, and the ledger
// that comes of it. Every GPU-second is in exactly one class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::model {

/// One series of an answer: its labels and its values at Unix seconds.
struct LabelledSeries {
  std::map<std::string, std::string> labels;
  std::vector<std::pair<double, double>> points;

  /// Empty where it has no such label.
  const std::string& label(const std::string& name) const {
    static const std::string kNone;
    const auto at = labels.find(name);
    return at == labels.end() ? kNone : at->second;
  }
};

/// The order is that of data/fleet/classes.csv.
enum class UsageClass : std::uint8_t { Unknown, Sick, Used, Throttled, Idle, Fragmented, Unallocated };
constexpr std::size_t kUsageClasses = 7;
template <class Value>
using ByClass = std::array<Value, kUsageClasses>;

/// Why a GPU cannot be used.
enum class SickReason : std::uint8_t {
  None,
  NodeSilent,  ///< its node's exporter does not answer Prometheus
  GpuSilent,   ///< the exporter says that it does not answer
  Gone,        ///< the exporter answers and no longer speaks of it
  Critical,    ///< a critical incident, a row that could not be replaced, a recovery that the driver asks for
};
constexpr std::size_t kSickReasons = 5;

/// A board of the fleet.
struct FleetGpu {
  std::string uuid;
  std::string job;       ///< of Prometheus' scrape configuration
  std::string instance;  ///< the target: what Prometheus calls the node
  std::string index;     ///< number on its node
  std::string name;      ///< as the driver calls it; empty: nobody told
  std::optional<double> price_per_hour;
};

/// One GPU at one moment.
struct GpuMoment {
  bool known = false;  ///< false: nothing is told of it or of its node, all else is empty
  SickReason sick = SickReason::None;
  std::uint32_t node = 0;              ///< which node it is on, numbered by the caller
  std::optional<double> activity;      ///< share of time with work
  bool held_back = false;              ///< heat, a power brake or a hardware slowdown holds its clocks
  std::optional<double> clock;         ///< its clock as a share of the highest
  std::vector<std::uint32_t> holders;  ///< who holds it, numbered by the caller, sorted
};

/// Time of one kind: all of it, and what of it is lost.
struct GpuTime {
  std::int64_t seconds = 0;
  double lost_seconds = 0;
  double cost = 0;       ///< of the GPUs that have a price
  double lost_cost = 0;  ///< likewise
};

/// What one holder of GPUs did with them; GPUs that several hold at once are shared equally.
struct HolderUsage {
  std::uint32_t holder = 0;
  std::array<double, 3> seconds = {0, 0, 0};  ///< used, throttled, idle
  double lost_seconds = 0;
  double cost = 0;
  double lost_cost = 0;
  double all() const { return seconds[0] + seconds[1] + seconds[2]; }
};

/// One GPU over the whole time, and how it is at the end.
struct GpuUsage {
  std::size_t gpu = 0;  ///< among those given
  ByClass<std::int64_t> seconds = {};
  std::uint32_t node = 0;  ///< where it was at the end, numbered by the caller
  SickReason sick_now = SickReason::None;
  bool known_now = false;
  std::int64_t same_for = 0;  ///< seconds for which it has been sick, or has not
};

struct UsageLedger {
  std::int64_t step = 0;     ///< seconds that one moment stands for
  std::int64_t moments = 0;  ///< of each GPU
  ByClass<GpuTime> classes;
  std::array<std::int64_t, kSickReasons> sick_seconds = {};
  std::vector<HolderUsage> holders;  ///< most time first; holder 0 is nobody known
  std::vector<GpuUsage> gpus;        ///< without those of which nothing is known at any moment
  std::int64_t priced_gpus = 0;      ///< of these, how many have a price
  bool clock_unknown = false;        ///< some were throttled with an unknown clock: what is lost is more

  std::int64_t total_seconds() const { return step * moments * static_cast<std::int64_t>(gpus.size()); }
};

/// Somebody who holds GPUs.
struct FleetHolder {
  std::string name;  ///< "slurm/4711", "pod/NAMESPACE/POD/CONTAINER", "user/alice"; empty: nobody known
  std::string user;  ///< of pods their namespace; empty: not told
};

/// An incident that is open at the end.
struct FleetIncident {
  std::string node, gpu, severity, cause, subject;
  double since = 0;  ///< Unix seconds
};

/// Xids of one GPU within the time.
struct FleetXids {
  std::string node, gpu, xid;
  double count = 0;
};

/// What a Prometheus knows of a fleet.
struct FleetUsage {
  std::string prometheus;  ///< who was asked
  std::int64_t begin = 0, end = 0;
  std::vector<FleetGpu> gpus;
  std::vector<std::string> nodes;    ///< by number
  std::vector<FleetHolder> holders;  ///< by number; 0 is nobody known
  UsageLedger ledger;
  std::vector<FleetIncident> incidents;  ///< worst first
  std::vector<FleetXids> xids;
  bool waiting_known = false;       ///< somebody told what waits for GPUs, so that fragmentation is seen
  bool holders_known = false;       ///< somebody told who holds GPUs, so that idle allocations are seen
  std::optional<double> own_price;  ///< one price for all, that of whoever asks
  std::string price_file;           ///< whose prices these are; empty with both: those of the catalog
  std::vector<std::string> warnings;
};

}  // namespace gpuwright::model
