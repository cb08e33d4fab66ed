// The process that owns the history's file. It is forked by the daemon, reads frames from the socket, writes
// ticks, answers questions, and says after each tick how things are. Whatever the disk does, only it waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watch/history_store.h"

#include <chrono>
#include <functional>
#include <string>

namespace gpuwright::watch {

struct HistorianChildOptions {
  std::string path;  ///< its folders are made where they are missing
  HistoryOptions store;
  std::chrono::milliseconds retry{10000};    ///< how soon a full or locked file is tried again
  std::chrono::milliseconds upkeep{60000};   ///< between two times of maintain()
  std::chrono::milliseconds question{2000};  ///< work for one question
  std::function<void()> before_write;        ///< for tests; called before each tick
};

/// Works until the other end closes the socket, then writes what came before and ends.
void run_historian(int fd, const HistorianChildOptions& options);

}  // namespace gpuwright::watch
