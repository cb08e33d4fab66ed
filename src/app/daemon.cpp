// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/daemon.h"

#include "app/version.h"
#include "base/files.h"
#include "base/text.h"
#include "kit/compress.h"
#include "kit/event_stream.h"
#include "report/metrics_text.h"
#include "report/node_json.h"
#include "server/page_files.h"
#include "server/routes.h"
#include "watch/own_cost.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace gpuwright::app {

namespace {

using std::chrono::milliseconds;

constexpr double kPerSecond = 1e-3;
constexpr milliseconds kSelfPeriod{5000};
constexpr milliseconds kKernelLogRetry{30'000};
constexpr int kMissed = 3;        // periods after which a value is old
constexpr double kKept_s = 0.25;  // metrics are made anew after so long: ages are in them

watch::Now now() {
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(steady).count(), std::chrono::duration<double>(wall).count()};
}

kit::HttpResponse json_response(std::string text) {
  kit::HttpResponse response;
  response.headers = {{"Content-Type", "application/json; charset=utf-8"}};
  response.body = std::make_shared<const std::string>(std::move(text));
  return response;
}

double seconds(milliseconds time) {
  return static_cast<double>(time.count()) * kPerSecond;
}

}  // namespace

Daemon::Daemon(const catalog::Catalog& catalog, const watch::WatchPlan& plan, DaemonOptions options)
    : catalog_(catalog),
      plan_(plan),
      options_(std::move(options)),
      watcher_(catalog.metrics(), plan, now, kMissed * seconds(options_.often)),
      sampler_(plan.values, options_.sampler, watcher_),
      surveyor_(options_.survey),
      sampling_(loop_, sampler_, [this] { surveyor_.name_new_users(watcher_.mutable_state()); }),
      surveying_(loop_, surveyor_, [this] { surveyor_.fill(watcher_.mutable_state()); }),
      looker_(loop_, options_.looker, [this](auto seen) { looked(std::move(seen)); }) {
  watcher_.on_recovery([this](const std::string& pci, const std::string& why) {
    (void)health_.recovered(pci, why, watcher_.state().wall_s);
    show_health();
    looker_.recovered(pci);
  });
}

base::Status Daemon::open() {
  GPUWRIGHT_TRY(site_, server::Site::open(loop_, options_.settings, *this));
  const auto name = base::read_file("/proc/sys/kernel/hostname", 256);
  watcher_.mutable_state().host = name ? base::printable(base::trim(*name)) : std::string();
  GPUWRIGHT_TRY(signals_, loop_.on_signal({SIGTERM, SIGINT}, [this](int) { loop_.stop(); }));
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
  return base::Done{};
}

void Daemon::run() {
  loop_.run();
  sampler_.stop();
  surveyor_.stop();
}

void Daemon::tick() {
  watcher_.look_at_clock();
  const double at = watcher_.state().now_s;
  const bool whole = at >= next_whole_s_;
  if (whole) next_whole_s_ = at + seconds(options_.whole) - seconds(options_.often) / 2;
  if (live_->clients() > 0) live_->push("node", node_json());
  note_changes();
  sampler_.tick(whole);
  sampling_.moved();
  // A period after all values were asked: then the processes on the GPUs are known.
  if (survey_due_) surveyor_.tick(watch::pids_of(watcher_.state()));
  survey_due_ = whole;
  surveying_.moved();
}

void Daemon::open_kernel_log() {
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

void Daemon::read_kernel_log() {
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
void Daemon::looked(base::Result<std::vector<model::Condition>> seen) {
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

void Daemon::show_health() {
  model::HealthState& shown = watcher_.mutable_state().health;
  shown.open = health_.open();
  shown.ended = health_.ended();
  shown.looked_s = health_.looked_s();
}

/// A new Xid, or a GPU that has come or gone: the whole machine is looked at soon.
void Daemon::note_changes() {
  std::uint64_t xids = 0;
  std::size_t up = 0;
  for (const auto& entry : watcher_.state().gpus) {
    up += entry.second.up ? 1 : 0;
    for (const auto& xid : entry.second.xids) xids += xid.second.count;
  }
  if (xids != xids_seen_ || up != up_seen_) looker_.look_soon();
  xids_seen_ = xids;
  up_seen_ = up;
}

void Daemon::look_at_self() {
  model::SelfState& self = watcher_.mutable_state().self;
  std::vector<pid_t> children = sampler_.children();
  for (const pid_t child : surveyor_.children()) children.push_back(child);
  for (const pid_t child : looker_.children()) children.push_back(child);
  watch::add_own_cost(children, self);
  self.sampler_restarts = static_cast<std::uint64_t>(sampler_.restarts());
  self.left_behind = static_cast<std::uint64_t>(sampler_.left_behind() + surveyor_.left_behind());
}

void Daemon::look_at_bus() {
  watcher_.mutable_state().gpus_on_bus = watch::gpus_on_bus("/sys/bus/pci/devices");
}

std::string Daemon::node_json() const {
  return report::render_node_json(watcher_.state(), plan_.series, catalog_);
}

std::string Daemon::render(report::MetricsFormat format) {
  report::MetricsText text(format);
  report::OwnMetrics own;
  own.metrics = &catalog_.metrics();
  own.series = &plan_.series;
  own.stale_after_s = kMissed * seconds(options_.often);
  own.whole_stale_after_s = kMissed * seconds(options_.whole);
  own.version = kVersion;
  report::write_own_metrics(text, watcher_.state(), own);
  if (options_.dcgm) {
    report::DcgmMetrics dcgm;
    dcgm.fields = &plan_.fields;
    dcgm.host_label = options_.host_label;
    dcgm.stale_after_s = own.whole_stale_after_s;
    dcgm.user_labels = options_.dcgm_user_labels;
    report::write_dcgm_metrics(text, watcher_.state(), dcgm);
  }
  return text.take();
}

std::shared_ptr<const std::string> Daemon::metrics(report::MetricsFormat format, bool gzip) {
  watcher_.look_at_clock();
  ++watcher_.mutable_state().self.scrapes;
  Ready& ready = ready_[format];
  if (ready.made_s < 0 || watcher_.state().now_s - ready.made_s >= kKept_s) {
    ready.text = std::make_shared<const std::string>(render(format));
    ready.zipped.reset();
    ready.made_s = watcher_.state().now_s;
  }
  if (gzip && !ready.zipped) ready.zipped = std::make_shared<const std::string>(kit::gzip(*ready.text));
  return gzip ? ready.zipped : ready.text;
}

server::Health Daemon::health() {
  return {true, "gpuwright serves"};
}

server::Health Daemon::ready() {
  const model::NodeState& state = watcher_.state();
  const bool sampled =
      std::any_of(state.gpus.begin(), state.gpus.end(), [](const auto& entry) { return entry.second.ever; });
  if (sampled) return {true, "GPUs are sampled"};
  if (!state.no_driver.empty()) return {true, "no GPU is sampled: " + state.no_driver};
  if (state.driver_known && state.driver.gpus == 0) return {true, "the driver knows no GPU"};
  return {false, "the driver is being opened"};
}

kit::HttpResponse Daemon::api(const std::string& path, const base::Parameters& /*query*/) {
  watcher_.look_at_clock();
  if (path == "node") return json_response(node_json());
  if (path == "metrics") return json_response(report::render_metrics_json(catalog_.metrics(), plan_.series));
  return server::error_response("/api/", 404, "there is nothing of this name; there are: node, metrics");
}

kit::HttpResponse Daemon::act(const std::string& /*path*/, const std::string& /*body*/) {
  return server::error_response("/api/", 404, "there is nothing of this name");
}

kit::HttpResponse Daemon::events(const std::string& /*last_id*/) {
  watcher_.look_at_clock();
  kit::HttpResponse response;
  response.headers = {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}};
  response.body = std::make_shared<const std::string>(kit::event_text("node", node_json()));
  response.events = live_;
  return response;
}

std::optional<server::Page> Daemon::page(const std::string& path) {
  return server::page_file(path);
}

}  // namespace gpuwright::app
