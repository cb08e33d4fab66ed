// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "support/sampling.h"

#include "support/paths.h"
#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace gpuwright::tests {

void use_scenario(const std::string& path) {
  ::setenv("GPUWRIGHT_NVML", (fakegpu_folder() + "/libnvidia-ml.so.1").c_str(), 1);
  ::setenv("GPUWRIGHT_FAKEGPU", path.c_str(), 1);
  // One time for all children, also those that replace others.
  ::setenv("GPUWRIGHT_FAKEGPU_START", std::to_string(std::time(nullptr)).c_str(), 1);
}

bool follow(host::Sampler& sampler, std::chrono::milliseconds period, std::chrono::milliseconds limit,
            const std::function<bool()>& done) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWhole = 5;
  const auto end = Clock::now() + limit;
  auto next_tick = Clock::now();
  for (int ticks = 0; Clock::now() < end;) {
    if (done()) return true;
    if (Clock::now() >= next_tick) {
      sampler.tick(ticks++ % kWhole == 0);
      next_tick += period;
    }
    const auto until = std::min({next_tick, sampler.next_deadline(), end});
    std::vector<pollfd> polls;
    for (const int fd : sampler.descriptors()) polls.push_back({fd, POLLIN, 0});
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    (void)::poll(polls.data(), polls.size(), static_cast<int>(std::clamp<std::int64_t>(wait, 0, 1000)));
    for (const pollfd& one : polls) {
      if (one.revents != 0) sampler.read(one.fd);
    }
    sampler.look_at_clock();
  }
  return done();
}

}  // namespace gpuwright::tests
