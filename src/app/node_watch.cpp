// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/node_watch.h"

#include "base/files.h"
#include "base/text.h"
#include "host/gpus_on_bus.h"
#include "watch/incident_row.h"
#include "watch/own_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpuwright::app {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSelfPeriod{5000};
constexpr milliseconds kKernelLogRetry{30'000};

watch::Now now() {
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(steady).count(), std::chrono::duration<double>(wall).count()};
}

double seconds(milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

NodeHistoryOptions history_options(const NodeWatchOptions& options) {
  NodeHistoryOptions history = options.history;
  history.freshness = {kMissedPeriods * seconds(options.often), kMissedPeriods * seconds(options.whole)};
  history.log = options.log;
  return history;
}

}  // namespace

NodeWatch::NodeWatch(kit::EventLoop& loop, const catalog::Catalog& catalog, const watch::WatchPlan& plan,
                     NodeWatchOptions options)
    : loop_(loop),
      catalog_(catalog),
      options_(std::move(options)),
      watcher_(catalog.metrics(), plan, now, kMissedPeriods * seconds(options_.often)),
      sampler_(plan.values, options_.sampler, watcher_),
      surveyor_(options_.survey),
      sampling_(loop_, sampler_, [this] { surveyor_.name_new_users(watcher_.mutable_state()); }),
      surveying_(loop_, surveyor_, [this] { surveyor_.fill(watcher_.mutable_state()); }),
      health_(options_.health),
      history_(loop_, catalog.metrics(), plan, history_options(options_)),
      receivers_(loop_, catalog, options_.receivers, options_.log),
      looker_(loop_, options_.looker, [this](auto seen) { looked(std::move(seen)); }) {
  watcher_.on_recovery([this](const std::string& pci, const std::string& why) {
    (void)health_.recovered(pci, why, watcher_.state().wall_s);
    show_health();
    looker_.recovered(pci);
  });
  watcher_.on_event([this](model::HistoryEvent event) { history_.event(std::move(event)); });
}

void NodeWatch::start(std::function<void()> ticked) {
  ticked_ = std::move(ticked);
  const auto name = base::read_file("/proc/sys/kernel/hostname", 256);
  watcher_.mutable_state().host = name ? base::printable(base::trim(*name)) : std::string();
  history_.start([this](const TakenOver& taken) { take_over(taken); });
  open_kernel_log();
  sampler_.start();
  surveyor_.start();
  look_at_bus();
  look_at_self();
  ticks_ = loop_.every(options_.often, [this] { tick(); });
  self_ = loop_.every(kSelfPeriod, [this] {
    look_at_self();
    look_at_bus();
  });
  sampling_.moved();
  looker_.look_soon();
}

void NodeWatch::stop() {
  watcher_.look_at_clock();
  history_.finish(watcher_.state());
  sampler_.stop();
  surveyor_.stop();
}

void NodeWatch::tick() {
  watcher_.look_at_clock();
  const double at = watcher_.state().now_s;
  const bool whole = at >= next_whole_s_;
  if (whole) next_whole_s_ = at + seconds(options_.whole) - seconds(options_.often) / 2;
  tell_incidents();
  history_.tick(watcher_.state());
  history_.fill(watcher_.mutable_state().history);
  receivers_.fill(watcher_.mutable_state().receivers);
  ticked_();
  note_changes();
  sampler_.tick(whole);
  sampling_.moved();
  // A period after all values were asked: then the processes on the GPUs are known.
  if (survey_due_) surveyor_.tick(watch::pids_of(watcher_.state()));
  survey_due_ = whole;
  surveying_.moved();
}

void NodeWatch::open_kernel_log() {
  auto log = host::KernelLogFollower::open(options_.kernel_log);
  auto waiting = log ? loop_.on_readable(log->descriptor(), [this] { read_kernel_log(); })
                     : base::Result<kit::Waiting>(log.error());
  if (!waiting) {
    watcher_.on_kernel_log(false, waiting.error().message, watcher_.state().kernel.lost);
    kernel_log_retry_ = loop_.after(kKernelLogRetry, [this] { open_kernel_log(); });
    return;
  }
  kernel_log_ = std::move(*log);
  kernel_log_waits_ = std::move(*waiting);
  watcher_.on_kernel_log(true, "", watcher_.state().kernel.lost);
}

void NodeWatch::read_kernel_log() {
  constexpr std::size_t kAtOnce = 512;  // then the others have their turn
  std::vector<host::KernelRecord> records;
  (void)kernel_log_->read(records, kAtOnce);
  for (const host::KernelRecord& record : records) watcher_.on_kernel_record(record);
  watcher_.on_kernel_log(!kernel_log_->ended(), "the stream has ended", kernel_log_->lost());
  if (!kernel_log_->ended()) return;
  kernel_log_waits_.cancel();
  kernel_log_.reset();
  kernel_log_retry_ = loop_.after(kKernelLogRetry, [this] { open_kernel_log(); });
}

/// A GPU that is lost does not tell its address any more: "#3" becomes "0000:61:00" where we know it.
void NodeWatch::looked(base::Result<std::vector<model::Condition>> seen) {
  watcher_.look_at_clock();
  watcher_.mutable_state().health.could_not_look = seen ? std::string() : seen.error().message;
  if (!seen) return;
  for (model::Condition& condition : *seen) {
    const auto index =
        condition.subject.starts_with('#') ? base::parse_int(condition.subject.substr(1)) : std::nullopt;
    const std::string device =
        index ? watcher_.device_of_gpu(static_cast<std::uint32_t>(*index)) : std::string();
    if (!device.empty()) condition.subject = device;
  }
  health_.report("look", *seen, watcher_.state().wall_s);
  show_health();
}

void NodeWatch::show_health() {
  model::HealthState& shown = watcher_.mutable_state().health;
  shown.open = health_.open();
  shown.ended = health_.ended();
  shown.looked_s = health_.looked_s();
}

/// What an earlier daemon knew goes on here: Xids of this boot, open incidents, and which GPUs have recovered
/// since the log spoke of them.
void NodeWatch::take_over(const TakenOver& taken) {
  watcher_.look_at_clock();
  watcher_.take_over_gpus(taken.gpus);
  watcher_.take_over_xids(taken.xids);
  for (const model::Incident& row : taken.incidents) {
    if (!row.end_ms) {
      take_over(row, taken.boot_id);
    } else if (row.boot_id == taken.boot_id && is_proof(row.ended_by) && !row.device.empty()) {
      looker_.recovered(row.device, watcher_.state().wall_s - watch::live_incident(row).end_s);
    }
  }
  show_health();
}

void NodeWatch::take_over(const model::Incident& row, const std::string& boot_id) {
  const auto open = health_.open();
  const bool raised = std::any_of(open.begin(), open.end(), [&row](const model::LiveIncident& one) {
    return one.what.cause == row.cause && one.what.subject == row.device;
  });
  if (!raised || !told_) return health_.take_over(watch::live_incident(row), row.boot_id != boot_id);
  model::Incident ended = row;  // too late: it has been told as another one
  constexpr double kMilli = 1000;
  ended.end_ms = std::llround(watcher_.state().wall_s * kMilli);
  ended.ended_by = "taken-up";
  history_.incident(std::move(ended));
}

/// What was raised, changed or ended, once what was before is known.
void NodeWatch::tell_incidents() {
  if (history_.awaits()) return;
  told_ = true;
  for (const model::IncidentChange& change : health_.take_changes()) {
    history_.incident(change.incident, watcher_.state());
    receivers_.take(change, watcher_.state());
  }
  receivers_.tick(watcher_.state());
}

bool NodeWatch::is_proof(const std::string& ending) const {
  const base::CsvTable* endings = catalog_.table("endings");
  if (endings == nullptr) return false;
  return std::any_of(endings->rows.begin(), endings->rows.end(), [&](const base::CsvTable::Row& row) {
    return endings->cell(row, "code") == ending && endings->cell(row, "proof") == "yes";
  });
}

/// A new Xid, or a GPU that has come or gone: the whole machine is looked at soon.
void NodeWatch::note_changes() {
  std::uint64_t xids = 0;
  std::size_t up = 0;
  for (const auto& entry : watcher_.state().gpus) {
    up += entry.second.up || entry.second.asleep ? 1 : 0;
    for (const auto& xid : entry.second.xids) xids += xid.second.count;
  }
  if (xids != xids_seen_ || up != up_seen_) looker_.look_soon();
  xids_seen_ = xids;
  up_seen_ = up;
}

void NodeWatch::look_at_self() {
  model::SelfState& self = watcher_.mutable_state().self;
  std::vector<pid_t> children = sampler_.children();
  for (const pid_t child : surveyor_.children()) children.push_back(child);
  for (const pid_t child : looker_.children()) children.push_back(child);
  for (const pid_t child : history_.children()) children.push_back(child);
  for (const pid_t child : receivers_.children()) children.push_back(child);
  watch::add_own_cost(children, self);
  self.at_s = watcher_.state().now_s;
  self.sampler_restarts = static_cast<std::uint64_t>(sampler_.restarts());
  self.left_behind =
      static_cast<std::uint64_t>(sampler_.left_behind() + surveyor_.left_behind()) + history_.left_behind();
}

void NodeWatch::look_at_bus() {
  const auto gpus = host::gpus_on_bus(options_.sampler.bus);
  watcher_.mutable_state().gpus_on_bus = gpus ? static_cast<std::int64_t>(gpus->size()) : -1;
  const bool asleep =
      gpus && std::any_of(gpus->begin(), gpus->end(), [](const auto& one) { return one.asleep; });
  looker_.hold(asleep ? "a GPU sleeps, and a look at the whole machine would wake it" : "");
}

}  // namespace gpuwright::app
