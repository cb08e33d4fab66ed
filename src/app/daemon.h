// The daemon behind `gpuwright serve`: one loop that joins sampling, the kernel's log and the doors. It never
// waits for anything else: what may hang is in children.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/attend.h"
#include "app/looker.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "host/kmsg.h"
#include "host/sampler.h"
#include "kit/event_loop.h"
#include "kit/event_stream.h"
#include "report/node_metrics.h"
#include "server/site.h"
#include "watch/health.h"
#include "watch/plan.h"
#include "watch/surveyor.h"
#include "watch/watcher.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::app {

struct DaemonOptions {
  server::Settings settings;
  std::chrono::milliseconds often{1000};  ///< between samples of what decides about health
  std::chrono::milliseconds whole{5000};  ///< of all values
  host::SamplerLimits sampler;
  watch::SurveyJob survey;
  bool dcgm = false;              ///< DCGM's names, too
  bool dcgm_user_labels = false;  ///< with pod and job of a GPU that has one user
  std::string host_label = "Hostname";
  std::string kernel_log = "/dev/kmsg";
  LookerOptions looker;
};

class Daemon final : public server::Content {
 public:
  /// `plan` and `catalog` must outlive it.
  Daemon(const catalog::Catalog& catalog, const watch::WatchPlan& plan, DaemonOptions options);

  /// Listens and begins to sample. Errors: those of server::Site::open.
  base::Status open();
  const std::vector<std::string>& notes() const { return site_->notes(); }
  int port() const { return site_->port(); }
  /// Serves until a signal ends it.
  void run();

  std::shared_ptr<const std::string> metrics(report::MetricsFormat format, bool gzip) override;
  server::Health health() override;
  server::Health ready() override;
  kit::HttpResponse api(const std::string& path, const base::Parameters& query) override;
  kit::HttpResponse act(const std::string& path, const std::string& body) override;
  kit::HttpResponse events(const std::string& last_id) override;
  std::optional<server::Page> page(const std::string& path) override;

 private:
  /// One form of the metrics, kept until something has changed.
  struct Ready {
    std::shared_ptr<const std::string> text, zipped;
    double made_s = -1;
  };

  void tick();
  void open_kernel_log();
  void read_kernel_log();
  void looked(base::Result<std::vector<model::Condition>> seen);
  void show_health();
  void note_changes();
  void look_at_self();
  void look_at_bus();
  std::string node_json() const;
  std::string render(report::MetricsFormat format);

  const catalog::Catalog& catalog_;
  const watch::WatchPlan& plan_;
  DaemonOptions options_;
  kit::EventLoop loop_;
  watch::Watcher watcher_;
  host::Sampler sampler_;
  watch::Surveyor surveyor_;
  Attend<host::Sampler> sampling_;
  Attend<watch::Surveyor> surveying_;
  bool survey_due_ = false;
  watch::Health health_;
  Looker looker_;
  std::uint64_t xids_seen_ = 0;
  std::size_t up_seen_ = 0;
  std::shared_ptr<kit::EventStream> live_ = std::make_shared<kit::EventStream>();
  std::unique_ptr<server::Site> site_;
  std::optional<host::KernelLogFollower> kernel_log_;
  kit::Waiting kernel_log_waits_, kernel_log_retry_, signals_, ticks_, self_;
  std::map<report::MetricsFormat, Ready> ready_;
  double next_whole_s_ = 0;
};

}  // namespace gpuwright::app
