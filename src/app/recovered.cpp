// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/recovered.h"

#include "base/ids.h"
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::app {

base::Result<Recovered> parse_recovered(const std::string& text) {
  Recovered recovered;
  if (text.empty()) return recovered;
  for (const std::string_view part : base::split(text, ',')) {
    const std::size_t equals = part.find('=');
    const auto address = base::PciAddress::parse(part.substr(0, equals));
    const auto seconds =
        equals == std::string_view::npos ? std::nullopt : base::parse_double(part.substr(equals + 1));
    constexpr double kMost = 1e9, kNano = 1e9;
    if (!address || !seconds || !(*seconds >= 0 && *seconds <= kMost))
      return base::make_error(
          base::ErrorKind::Malformed,
          fmt::format("'{}' is no GPU=SECONDS, as 0000:3b:00=86400.5", base::printable(part, 60)),
          "--recovered");
    const std::string whole = address->text();
    recovered[whole.substr(0, whole.rfind('.'))] = static_cast<std::int64_t>(*seconds * kNano);
  }
  return recovered;
}

void drop_recovered(const Recovered& recovered, model::Observations& observations) {
  if (recovered.empty()) return;
  auto& events = observations.events;
  events.erase(std::remove_if(events.begin(), events.end(),
                              [&recovered](const model::Event& event) {
                                const auto at = recovered.find(event.subject.id);
                                return at != recovered.end() && event.last.since_boot_ns &&
                                       *event.last.since_boot_ns < at->second;
                              }),
               events.end());
}

}  // namespace gpuwright::app
