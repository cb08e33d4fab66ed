// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/daemon.h"

#include "app/history_request.h"
#include "app/version.h"
#include "kit/compress.h"
#include "kit/event_stream.h"
#include "report/history.h"
#include "report/metrics_text.h"
#include "report/node_json.h"
#include "server/page_files.h"
#include "server/routes.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace gpuwright::app {

namespace {

constexpr std::size_t kMostQuestions = 96;  // to the history, that wait
constexpr double kKept_s = 0.25;            // metrics are made anew after so long: ages are in them

kit::HttpResponse json_response(std::string text) {
  kit::HttpResponse response;
  response.headers = {{"Content-Type", "application/json; charset=utf-8"}};
  response.body = std::make_shared<const std::string>(std::move(text));
  return response;
}

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Daemon::Daemon(const catalog::Catalog& catalog, const watch::WatchPlan& plan, DaemonOptions options)
    : catalog_(catalog),
      plan_(plan),
      options_(std::move(options)),
      node_(loop_, catalog, plan, options_.node) {}

base::Status Daemon::open() {
  GPUWRIGHT_TRY(site_, server::Site::open(loop_, options_.settings, *this));
  GPUWRIGHT_TRY(signals_, loop_.on_signal({SIGTERM, SIGINT}, [this](int) { loop_.stop(); }));
  node_.start([this] {
    if (live_->clients() > 0) live_->push("node", node_json());
  });
  return base::Done{};
}

void Daemon::run() {
  loop_.run();
  node_.stop();
}

std::string Daemon::node_json() const {
  return report::render_node_json(node_.state(), plan_.series, catalog_);
}

std::string Daemon::render(report::MetricsFormat format) {
  report::MetricsText text(format);
  report::OwnMetrics own;
  own.metrics = &catalog_.metrics();
  own.series = &plan_.series;
  own.stale_after_s = kMissedPeriods * seconds(options_.node.often);
  own.whole_stale_after_s = kMissedPeriods * seconds(options_.node.whole);
  own.version = kVersion;
  report::write_own_metrics(text, node_.state(), own);
  if (options_.dcgm) {
    report::DcgmMetrics dcgm;
    dcgm.fields = &plan_.fields;
    dcgm.host_label = options_.host_label;
    dcgm.stale_after_s = own.whole_stale_after_s;
    dcgm.user_labels = options_.dcgm_user_labels;
    report::write_dcgm_metrics(text, node_.state(), dcgm);
  }
  return text.take();
}

std::shared_ptr<const std::string> Daemon::metrics(report::MetricsFormat format, bool gzip) {
  node_.look_at_clock();
  ++node_.mutable_state().self.scrapes;
  Ready& ready = ready_[format];
  if (ready.made_s < 0 || node_.state().now_s - ready.made_s >= kKept_s) {
    ready.text = std::make_shared<const std::string>(render(format));
    ready.zipped.reset();
    ready.made_s = node_.state().now_s;
  }
  if (gzip && !ready.zipped) ready.zipped = std::make_shared<const std::string>(kit::gzip(*ready.text));
  return gzip ? ready.zipped : ready.text;
}

server::Health Daemon::health() {
  return {true, "gpuwright serves"};
}

server::Health Daemon::ready() {
  const model::NodeState& state = node_.state();
  const bool sampled =
      std::any_of(state.gpus.begin(), state.gpus.end(), [](const auto& entry) { return entry.second.ever; });
  if (sampled) return {true, "GPUs are sampled"};
  if (!state.no_driver.empty()) return {true, "no GPU is sampled: " + state.no_driver};
  if (state.driver_known && state.driver.gpus == 0) return {true, "the driver knows no GPU"};
  return {false, "the driver is being opened"};
}

kit::HttpResponse Daemon::history(const base::Parameters& parameters) {
  const auto request = history_request(parameters, node_.state());
  if (!request) return server::error_response("/api/", 400, request.error().message);
  if (history_questions_ + request->queries.size() > kMostQuestions)
    return server::error_response("/api/", 503, "too many questions to the history at a time; ask again");
  kit::HttpResponse response;
  response.later = std::make_shared<kit::HttpLater>();
  const auto all = std::make_shared<model::HistoryAnswer>();
  const auto left = std::make_shared<std::size_t>(request->queries.size());
  for (const model::HistoryQuery& query : request->queries) {
    ++history_questions_;
    node_.ask_history(query, [this, all, left, later = response.later,
                              topic = request->topic()](model::HistoryAnswer answer) {
      --history_questions_;
      report::merge_history(std::move(answer), *all);
      if (--*left > 0) return;
      later->answer(all->error.empty()
                        ? json_response(report::render_history_json(*all, topic, {&catalog_, true}))
                        : server::error_response("/api/", 503, all->error));
    });
  }
  return response;
}

kit::HttpResponse Daemon::api(const std::string& path, const base::Parameters& query) {
  node_.look_at_clock();
  if (path == "node") return json_response(node_json());
  if (path == "metrics") return json_response(report::render_metrics_json(catalog_.metrics(), plan_.series));
  if (path == "history") return history(query);
  return server::error_response("/api/", 404,
                                "there is nothing of this name; there are: node, metrics, history, events");
}

kit::HttpResponse Daemon::act(const std::string& /*path*/, const std::string& /*body*/) {
  return server::error_response("/api/", 404, "there is nothing of this name");
}

kit::HttpResponse Daemon::events(const std::string& /*last_id*/) {
  node_.look_at_clock();
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
