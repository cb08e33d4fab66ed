// A history that tests write and kill.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watch/historian.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::tests {

/// Quick to try again, and with the disk to itself.
watch::HistorianOptions options_for(const std::string& path);

/// The n-th tick: a few values, and where wanted an event that has the number as its code.
watch::HistoryTick tick_number(std::int64_t n, bool event = true);

/// The codes of all events of the kind in the file, by another process's way of reading; the file is sound.
std::vector<std::string> codes_in(const std::string& path, const std::string& kind = "xid");

/// Kills the process so often at random moments while ticks go in; expects what it had confirmed in the file.
void kill_historian_at_random(int times);

}  // namespace gpuwright::tests
