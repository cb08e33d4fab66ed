// See the header. Source: Alertmanager's API v2 (open alerts are sent again, endsAt says until when they hold
// without that); Prometheus sends resolved ones for a quarter of an hour.
// SPDX-License-Identifier: Apache-2.0
#include "app/receivers.h"

#include "base/url.h"

#include <algorithm>
#include <set>
#include <utility>

namespace gpuwright::app {

namespace {

constexpr double kTellEnded_s = 900;
constexpr double kMissed = 4;  // sendings that may fail before an alert is forgotten there
constexpr std::size_t kMostEnded = 1000;

std::string alerts_url(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url + "/api/v2/alerts";
}

std::unique_ptr<Receiver> make(kit::EventLoop& loop, const char* name, const std::string& url,
                               const ReceiversOptions& options,
                               const std::function<void(const std::string&)>& log) {
  if (url.empty()) return nullptr;
  ReceiverOptions one;
  one.name = name;
  one.url = url;
  one.authorities = options.authorities;
  if (url == options.webhook) one.header_file = options.webhook_header_file;
  return std::make_unique<Receiver>(loop, one, log);
}

}  // namespace

base::Status check_receivers(const ReceiversOptions& options) {
  const auto check = [](const char* option, const std::string& url) -> base::Status {
    if (url.empty()) return base::Done{};
    const auto parsed = base::parse_url(url);
    if (parsed) return base::Done{};
    return base::make_error(base::ErrorKind::Malformed, "is no URL; write http://HOST:PORT/ or https://HOST/",
                            option);
  };
  GPUWRIGHT_TRY([[maybe_unused]] const auto webhook, check("--webhook", options.webhook));
  GPUWRIGHT_TRY([[maybe_unused]] const auto alerts, check("--alertmanager", options.alertmanager));
  if (options.webhook_header_file.empty()) return base::Done{};
  if (options.webhook.empty())
    return base::make_error(base::ErrorKind::Malformed, "needs --webhook", "--webhook-header-file");
  GPUWRIGHT_TRY([[maybe_unused]] const auto headers, read_header_file(options.webhook_header_file));
  return base::Done{};
}

Receivers::Receivers(kit::EventLoop& loop, const catalog::Catalog& catalog, const ReceiversOptions& options,
                     const std::function<void(const std::string&)>& log)
    : catalog_(catalog),
      resend_(options.resend),
      webhook_(make(loop, "webhook", options.webhook, options, log)) {
  if (!options.alertmanager.empty()) {
    ReceiversOptions plain = options;
    plain.webhook.clear();
    alertmanager_ = make(loop, "alertmanager", alerts_url(options.alertmanager), plain, log);
  }
}

void Receivers::take(const model::IncidentChange& change, const model::NodeState& state) {
  if (!webhook_ || change.step == model::IncidentChange::Step::Evidence) return;
  webhook_->send(report::render_webhook(change, state, catalog_, ++notices_));
}

void Receivers::end(Alert& alert, double end_s) {
  alert.end_s = end_s;
  if (ended_.size() >= kMostEnded) ended_.erase(ended_.begin());
  ended_.push_back(std::move(alert));
}

/// Another severity is another alert there; the one before has ended.
bool Receivers::note_open(const model::LiveIncident& incident, const model::NodeState& state) {
  const std::string key = model::incident_id(incident);
  const auto [at, fresh] = open_.try_emplace(key);
  Alert& alert = at->second;
  const bool other = !fresh && alert.incident.what.severity != incident.what.severity;
  const bool said_otherwise = fresh || other || alert.incident.what.title != incident.what.title;
  if (other) {
    Alert before = alert;
    end(before, state.wall_s);
  }
  if (fresh || other) alert.labels = report::alert_labels(incident, state);
  alert.incident = incident;
  return said_otherwise;
}

/// True when there is something to tell at once.
bool Receivers::note(const model::NodeState& state) {
  bool news = false;
  std::set<std::string> now;
  for (const model::LiveIncident& incident : state.health.open) {
    now.insert(model::incident_id(incident));
    news = note_open(incident, state) || news;
  }
  for (auto at = open_.begin(); at != open_.end();) {
    if (now.count(at->first) != 0) {
      ++at;
      continue;
    }
    double end_s = state.wall_s;
    for (const model::LiveIncident& incident : state.health.ended) {
      if (model::incident_id(incident) == at->first) end_s = incident.end_s;
    }
    end(at->second, end_s);
    at = open_.erase(at);
    news = true;
  }
  ended_.erase(std::remove_if(ended_.begin(), ended_.end(),
                              [&](const Alert& alert) { return state.wall_s - alert.end_s > kTellEnded_s; }),
               ended_.end());
  return news;
}

void Receivers::tick(const model::NodeState& state) {
  if (!alertmanager_) return;
  const bool news = note(state);
  if ((open_.empty() && ended_.empty()) || (!news && state.now_s < next_s_)) return;
  const double resend_s = std::chrono::duration<double>(resend_).count();
  next_s_ = state.now_s + resend_s;
  std::vector<report::Alert> alerts;
  for (const auto& [key, alert] : open_)
    alerts.push_back({alert.labels, &alert.incident, state.wall_s + kMissed * resend_s});
  for (const Alert& alert : ended_) alerts.push_back({alert.labels, &alert.incident, alert.end_s});
  alertmanager_->send_newest(report::render_alerts(alerts, state, catalog_));
}

void Receivers::fill(std::vector<model::ReceiverState>& states) const {
  states.clear();
  for (const Receiver* one : {webhook_.get(), alertmanager_.get()}) {
    if (one != nullptr) states.push_back(one->state());
  }
}

std::vector<pid_t> Receivers::children() const {
  std::vector<pid_t> all;
  for (const Receiver* one : {webhook_.get(), alertmanager_.get()}) {
    if (one == nullptr) continue;
    for (const pid_t child : one->children()) all.push_back(child);
  }
  return all;
}

}  // namespace gpuwright::app
