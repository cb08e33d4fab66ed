// See the header. What is asked stands in data/fleet/queries.csv.
// SPDX-License-Identifier: Apache-2.0
#include "app/fleet_prometheus.h"

#include "app/looking.h"
#include "app/prometheus_client.h"
#include "app/when.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/text.h"
#include "base/url.h"
#include "report/usage.h"
#include "rules/usage_ledger.h"
#include "rules/usage_moments.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace gpuwright::app {

namespace {

using base::ErrorKind;
using base::make_error;
using catalog::Catalog;
using model::FleetUsage;
using model::LabelledSeries;

/// What moments are made of, in this order.
constexpr std::array<const char*, 9> kQuantities = {"target", "alive",    "activity", "clock", "held_back",
                                                    "holder", "critical", "waiting",  "queue"};
constexpr std::int64_t kCellsAtOnce = 200'000;  ///< GPUs times moments: what one answer may hold
constexpr std::int64_t kMostMoments = 10'000;   ///< Prometheus gives no more than 11,000 of a series
constexpr std::int64_t kDay = 86'400;
constexpr double kPercent = 100;
constexpr std::int64_t kMinute = 60;

struct Price {
  std::string gpu;  ///< '*' stands for any text
  double per_hour = 0;
};

struct Plan {
  TimeWindow window;
  std::vector<Price> prices;
  std::optional<double> own_price;
  std::optional<double> least_wanted;  ///< by --waiting
};

base::Result<double> price_of(const char* option, const std::string& text) {
  const auto price = base::parse_double(text);
  constexpr double kMost = 1'000'000;
  if (price && *price >= 0 && *price <= kMost) return *price;
  return make_error(ErrorKind::Malformed,
                    fmt::format("{}: '{}' is no price in US dollars", option, base::printable(text, 40)));
}

/// A table with the columns gpu and usd_per_hour, as data/fleet/prices.csv has them.
base::Result<std::vector<Price>> read_prices(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  GPUWRIGHT_TRY(const std::string text, base::read_file(path, kMostBytes));
  GPUWRIGHT_TRY(const base::CsvTable table, base::parse_csv(text, path));
  if (table.column("gpu") < 0 || table.column("usd_per_hour") < 0)
    return make_error(ErrorKind::Malformed, "the columns gpu and usd_per_hour are wanted", path);
  std::vector<Price> prices;
  for (const base::CsvTable::Row& row : table.rows) {
    GPUWRIGHT_TRY(const double price, price_of(path.c_str(), table.cell(row, "usd_per_hour")));
    prices.push_back({table.cell(row, "gpu"), price});
  }
  return prices;
}

base::Result<TimeWindow> window_of(const FleetPrometheusOptions& options) {
  TimeWindow window;
  const auto step = span_of(options.step.empty() ? "60s" : options.step);
  if (!step || *step < 1 || *step > kDay)
    return make_error(ErrorKind::Malformed, fmt::format("--step: '{}' is no time from 1s to 1d",
                                                        base::printable(options.step, 40)));
  window.step = *step;
  std::int64_t until = now_seconds();
  if (!options.until.empty()) {
    GPUWRIGHT_TRY(until, time_of("--until", options.until, until));
  }
  GPUWRIGHT_TRY(const std::int64_t since,
                time_of("--since", options.since.empty() ? "24h" : options.since, until));
  window.end = until / window.step * window.step;
  window.begin = since / window.step * window.step;
  constexpr std::int64_t kMostInAll = 1'000'000;
  const std::int64_t moments = (window.end - window.begin) / window.step;
  if (moments < 1) return make_error(ErrorKind::Malformed, "--since: nothing lies between it and the end");
  if (moments > kMostInAll)
    return make_error(ErrorKind::Malformed, "--since: more than a million looks; give a longer --step");
  return window;
}

base::Result<Plan> plan_of(const FleetPrometheusOptions& options, const Catalog& catalog) {
  Plan plan;
  GPUWRIGHT_TRY(plan.window, window_of(options));
  if (!options.price.empty() && !options.price_file.empty())
    return make_error(ErrorKind::Malformed, "--price and --price-per-gpu-hour: choose one");
  if (!options.price.empty()) {
    GPUWRIGHT_TRY(plan.own_price, price_of("--price-per-gpu-hour", options.price));
  } else if (!options.price_file.empty()) {
    GPUWRIGHT_TRY(plan.prices, read_prices(options.price_file));
  } else {
    for (const catalog::GpuPriceRow& row : catalog.fleet().prices)
      plan.prices.push_back({row.gpu, base::parse_double(row.usd_per_hour).value_or(0)});
  }
  if (options.waiting.empty()) return plan;
  for (const std::string_view shape : base::split(options.waiting, ',')) {
    const auto gpus = base::parse_int(base::trim(shape));
    constexpr std::int64_t kMostOfNode = 1024;
    if (!gpus || *gpus < 1 || *gpus > kMostOfNode)
      return make_error(ErrorKind::Malformed,
                        fmt::format("--waiting: '{}' is no number of GPUs on one node; write 8 or 4,8",
                                    base::printable(std::string(shape), 40)));
    plan.least_wanted = std::min(plan.least_wanted.value_or(1e9), static_cast<double>(*gpus));
  }
  return plan;
}

/// Asks, and remembers what Prometheus warned of.
class Fleet {
 public:
  Fleet(const PrometheusClient& client, const Catalog& catalog, const Plan& plan, const Console& console)
      : client_(client), catalog_(catalog), plan_(plan), line_(console) {}

  base::Result<FleetUsage> look();

 private:
  using Answer = base::Result<std::vector<LabelledSeries>>;

  std::string filled(const std::string& expression) const {
    const std::string span = fmt::format("{}s", plan_.window.end - plan_.window.begin);
    return base::replace_all(base::replace_all(expression, "@window@", span), "@jobs@", jobs_);
  }
  Answer keep(base::Result<parse::PrometheusAnswer> answer) {
    if (!answer) return answer.error();
    for (const std::string& warning : answer->warnings) warnings_.insert(warning);
    return std::move(answer->series);
  }
  base::Status find_boards();
  base::Status count();
  base::Status take_stretch(rules::UsageMoments& moments, const TimeWindow& stretch);
  base::Status find_incidents();
  base::Status find_xids();
  std::optional<double> price_of_board(const std::string& name) const;
  /// Calls `each` with every row of the quantity whose names this fleet has.
  template <class Each>
  base::Status each_query(const std::string& quantity, const Each& each);

  const PrometheusClient& client_;
  const Catalog& catalog_;
  const Plan& plan_;
  ProgressLine line_;
  FleetUsage usage_;
  std::set<std::string> namings_;  ///< that some GPU of this fleet is told under
  std::set<std::string> warnings_;
  std::string jobs_;  ///< of Prometheus' configuration, whose targets tell of GPUs, as an expression
};

/// A text as a regular expression within single quotes that fits just it. Source: RE2 syntax; PromQL, string
/// literals (a backslash is written twice).
std::string exactly(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = byte >= 0x80 || std::isalnum(byte) != 0 || letter == '_' || letter == '-';
    out += plain ? std::string(1, letter) : fmt::format("\\\\x{{{:x}}}", byte);
  }
  return out;
}

template <class Each>
base::Status Fleet::each_query(const std::string& quantity, const Each& each) {
  for (const catalog::FleetQueryRow& row : catalog_.fleet().queries) {
    // What asks not for GPUs (targets, what waits) stands under our names and is always asked.
    const bool of_gpus = quantity != "target" && quantity != "waiting" && quantity != "queue";
    if (row.quantity != quantity || (of_gpus && namings_.count(row.naming) == 0)) continue;
    GPUWRIGHT_TRY([[maybe_unused]] const auto done, each(filled(row.expr)));
  }
  return base::Done{};
}

std::optional<double> Fleet::price_of_board(const std::string& name) const {
  if (plan_.own_price) return plan_.own_price;
  for (const Price& price : plan_.prices) {
    if (base::matches_wildcard(price.gpu, name)) return price.per_hour;
  }
  return std::nullopt;
}

/// Who is a part of this fleet: whose series there are in the window, or in the day before, for a node may
/// have been silent all the time.
base::Status Fleet::find_boards() {
  TimeWindow window = plan_.window;
  window.begin -= kDay;
  std::vector<LabelledSeries> all;
  for (const catalog::FleetQueryRow& row : catalog_.fleet().queries) {
    if (row.quantity != "board") continue;
    GPUWRIGHT_TRY(const std::vector<LabelledSeries> series, keep(client_.series(row.expr, window)));
    if (!series.empty()) namings_.insert(row.naming);
    all.insert(all.end(), series.begin(), series.end());
  }
  usage_.gpus = rules::fleet_gpus(all);
  std::set<std::string> jobs;
  for (model::FleetGpu& gpu : usage_.gpus) {
    gpu.price_per_hour = price_of_board(gpu.name);
    if (jobs.insert(gpu.job).second) jobs_ += (jobs_.empty() ? "" : "|") + exactly(gpu.job);
  }
  if (usage_.gpus.empty())
    return make_error(
        ErrorKind::NotFound,
        "it knows no GPU in this time, neither under the names of gpuwright nor of dcgm-exporter",
        client_.url());
  return base::Done{};
}

base::Status Fleet::take_stretch(rules::UsageMoments& moments, const TimeWindow& stretch) {
  moments.begin(stretch.begin, static_cast<std::size_t>((stretch.end - stretch.begin) / stretch.step));
  for (const char* quantity : kQuantities) {
    GPUWRIGHT_TRY([[maybe_unused]] const auto done,
                  each_query(quantity, [&](const std::string& expression) -> base::Status {
                    GPUWRIGHT_TRY(const std::vector<LabelledSeries> series,
                                  keep(client_.query_range(expression, stretch)));
                    moments.take(quantity, series);
                    return base::Done{};
                  }));
  }
  return base::Done{};
}

base::Status Fleet::count() {
  const TimeWindow& window = plan_.window;
  const rules::UsageLimits limits = {
      catalog_.threshold("fleet.idle_utilization") / kPercent,
      static_cast<std::int64_t>(catalog_.threshold("fleet.idle_minutes")) * kMinute};
  rules::UsageCounter counter(usage_.gpus, limits, window.step);
  rules::UsageMoments moments(usage_.gpus, window.step);
  const auto gpus = static_cast<std::int64_t>(usage_.gpus.size());
  const std::int64_t at_once = std::clamp<std::int64_t>(kCellsAtOnce / gpus, 1, kMostMoments) * window.step;
  for (std::int64_t begin = window.begin; begin < window.end; begin += at_once) {
    const TimeWindow stretch = {begin, std::min(begin + at_once, window.end), window.step};
    line_.show(
        fmt::format("{} GPUs, {} %", gpus, 100 * (begin - window.begin) / (window.end - window.begin)));
    GPUWRIGHT_TRY([[maybe_unused]] const auto done, take_stretch(moments, stretch));
    const auto count = static_cast<std::size_t>((stretch.end - stretch.begin) / stretch.step);
    for (std::size_t i = 0; i < count; ++i) {
      auto wanted = moments.least_wanted(i);
      if (plan_.least_wanted) wanted = std::min(wanted.value_or(*plan_.least_wanted), *plan_.least_wanted);
      counter.add(moments.at(i), wanted);
    }
  }
  usage_.ledger = counter.finish();
  usage_.nodes = moments.nodes();
  usage_.holders = moments.holders();
  usage_.waiting_known = moments.queue_known() || plan_.least_wanted;
  usage_.holders_known = usage_.holders.size() > 1;
  return base::Done{};
}

base::Status Fleet::find_incidents() {
  const auto ask = [&](const std::string& expression) -> base::Status {
    GPUWRIGHT_TRY(const auto series, keep(client_.query(expression, plan_.window.end - plan_.window.step)));
    for (const LabelledSeries& one : series) {
      if (one.points.empty()) continue;
      usage_.incidents.push_back({one.label("instance"), one.label("gpu"), one.label("severity"),
                                  one.label("cause"), one.label("subject"), one.points.front().second});
    }
    return base::Done{};
  };
  GPUWRIGHT_TRY([[maybe_unused]] const auto done, each_query("incident", ask));
  constexpr std::array<std::string_view, 4> kOrder = {"critical", "error", "warning", "info"};
  const auto rank = [&](const model::FleetIncident& one) {
    return std::find(kOrder.begin(), kOrder.end(), one.severity) - kOrder.begin();
  };
  std::stable_sort(usage_.incidents.begin(), usage_.incidents.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return base::Done{};
}

base::Status Fleet::find_xids() {
  std::set<std::string> told;  // what our names tell, DCGM's need not tell again
  const auto ask = [&](const std::string& expression) -> base::Status {
    GPUWRIGHT_TRY(const auto series, keep(client_.query(expression, plan_.window.end - plan_.window.step)));
    for (const LabelledSeries& one : series) {
      if (one.points.empty() || !told.insert(one.label("uuid") + one.label("xid")).second) continue;
      usage_.xids.push_back(
          {one.label("instance"), one.label("gpu"), one.label("xid"), one.points.front().second});
    }
    return base::Done{};
  };
  return each_query("xid", ask);
}

base::Result<FleetUsage> Fleet::look() {
  usage_.prometheus = client_.url();
  usage_.begin = plan_.window.begin;
  usage_.end = plan_.window.end;
  usage_.own_price = plan_.own_price;
  GPUWRIGHT_TRY([[maybe_unused]] const auto found, find_boards());
  GPUWRIGHT_TRY([[maybe_unused]] const auto counted, count());
  GPUWRIGHT_TRY([[maybe_unused]] const auto incidents, find_incidents());
  GPUWRIGHT_TRY([[maybe_unused]] const auto xids, find_xids());
  usage_.warnings.assign(warnings_.begin(), warnings_.end());
  return std::move(usage_);
}

base::Result<PrometheusClient> client_of(const FleetPrometheusOptions& options) {
  PrometheusClient::Options client;
  client.url = options.url;
  client.authorities = options.authorities;
  GPUWRIGHT_TRY([[maybe_unused]] const auto url, base::parse_url(options.url));
  const auto timeout = span_of(options.timeout);
  if (!timeout || *timeout < 1 || *timeout > kDay)
    return make_error(ErrorKind::Malformed, "--timeout: write seconds as 60, or a time from 1s to 1d");
  client.deadline = std::chrono::seconds(*timeout);
  if (!options.token_file.empty()) {
    constexpr std::size_t kMostBytes = 64 << 10;
    GPUWRIGHT_TRY(const std::string token, base::read_file(options.token_file, kMostBytes));
    client.token = base::trim(token);
    if (client.token.empty())
      return make_error(ErrorKind::Malformed, "it holds no token", options.token_file);
  }
  return PrometheusClient(std::move(client));
}

}  // namespace

void add_prometheus_options(CommandLine& line, FleetPrometheusOptions& options) {
  line.option("--prometheus", options.url, "URL",
              "ask this Prometheus instead: what is sick, and where the GPU time and the money went");
  line.option("--since", options.since, "TIME",
              "--prometheus: 7d, 2026-11-30, 2026-11-30T14:05 (UTC); default: 24h");
  line.option("--until", options.until, "TIME", "--prometheus: the same; default: now");
  line.option("--step", options.step, "TIME", "--prometheus: from one look at each GPU to the next (60s)");
  line.option("--token-file", options.token_file, "FILE", "--prometheus: a bearer token");
  line.option("--ca", options.authorities, "FILE", "--prometheus: whom to trust with https (PEM)");
  line.option("--price", options.price_file, "FILE",
              "--prometheus: your prices, a CSV file with the columns gpu and usd_per_hour");
  line.option("--price-per-gpu-hour", options.price, "USD", "--prometheus: one price for all");
  line.option("--waiting", options.waiting, "GPUS",
              "--prometheus: what waits wants so many GPUs on one node (4,8), for fragmentation");
}

int run_fleet_prometheus(const FleetPrometheusOptions& options, const FleetOutput& output,
                         const Catalog& catalog, const Console& console) {
  const auto plan = plan_of(options, catalog);
  if (!plan) return console.usage_error(plan.error());
  const auto client = client_of(options);
  if (!client) return console.usage_error(client.error());
  auto usage = Fleet(*client, catalog, *plan, console).look();
  if (!usage) {
    (void)console.usage_error(usage.error());
    return kCouldNotLook;
  }
  usage->price_file = options.price_file;
  if (output.json) {
    console.print(report::render_usage_json(*usage, catalog));
  } else if (output.quiet) {
    console.print(report::usage_line(*usage, output.language) + "\n");
  } else {
    console.print(
        report::render_usage_text(*usage, catalog, {output.language, console.color, console.width}));
  }
  const bool critical = std::any_of(usage->incidents.begin(), usage->incidents.end(),
                                    [](const auto& one) { return one.severity == "critical"; });
  const report::SickCounts sick = report::count_sick(*usage);
  return critical || sick.silent_nodes + sick.sick_gpus > 0 ? kFindings : kFine;
}

}  // namespace gpuwright::app
