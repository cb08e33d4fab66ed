// The daemon behind `gpuwright serve`: one loop that joins what watches the machine (node_watch.h) and the
// doors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/node_watch.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "kit/event_loop.h"
#include "kit/event_stream.h"
#include "report/node_metrics.h"
#include "server/site.h"
#include "watch/plan.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::app {

struct DaemonOptions {
  server::Settings settings;
  NodeWatchOptions node;
  bool dcgm = false;              ///< DCGM's names, too
  bool dcgm_user_labels = false;  ///< with pod and job of a GPU that has one user
  std::string host_label = "Hostname";
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

  kit::HttpResponse history(const base::Parameters& parameters);
  std::string node_json() const;
  std::string render(report::MetricsFormat format);

  const catalog::Catalog& catalog_;
  const watch::WatchPlan& plan_;
  DaemonOptions options_;
  kit::EventLoop loop_;
  NodeWatch node_;
  std::shared_ptr<kit::EventStream> live_ = std::make_shared<kit::EventStream>();
  std::unique_ptr<server::Site> site_;
  kit::Waiting signals_;
  std::size_t history_questions_ = 0;  ///< that wait for their answers
  std::map<report::MetricsFormat, Ready> ready_;
};

}  // namespace gpuwright::app
