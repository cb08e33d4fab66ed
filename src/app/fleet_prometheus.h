// `gpuwright fleet --prometheus URL`: what a Prometheus knows of a fleet, and where its GPU time went.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.h"
#include "catalog/catalog.h"

#include <string>

namespace gpuwright::app {

struct FleetPrometheusOptions {
  std::string url;
  std::string since;  ///< empty: 24h
  std::string until;
  std::string step;  ///< empty: 60s
  std::string timeout = "60s";
  std::string token_file;
  std::string authorities;
  std::string price_file;
  std::string price;
  std::string waiting;

  /// Whether one is set that means nothing without the URL.
  bool any() const {
    return !(since + until + step + token_file + authorities + price_file + price + waiting).empty();
  }
};

void add_prometheus_options(CommandLine& line, FleetPrometheusOptions& options);

/// How it is shown.
struct FleetOutput {
  bool json = false;
  bool quiet = false;
  catalog::Language language = catalog::Language::English;
};

/// Exit codes: 1 something is sick at the end, 3 Prometheus could not be asked, 2 the options are wrong.
int run_fleet_prometheus(const FleetPrometheusOptions& options, const FleetOutput& output,
                         const catalog::Catalog& catalog, const Console& console);

}  // namespace gpuwright::app
