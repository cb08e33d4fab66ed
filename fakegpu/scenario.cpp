// A scenario's text: what the machine is (driver, cuda, boards, missing), then what happens and when.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/scenario.h"

#include "base/text.h"
#include "fakegpu/words.h"

#include <algorithm>
#include <optional>

namespace gpuwright::fakegpu {
namespace {

struct Line {
  std::int64_t number = 0;
  std::string_view text;
};

std::vector<Line> lines_without_comments(std::string_view text) {
  std::vector<Line> kept;
  std::int64_t number = 0;
  for (auto line : base::lines(text)) {
    ++number;
    line = base::trim(line.substr(0, line.find('#')));
    if (!line.empty()) kept.push_back({number, line});
  }
  return kept;
}

base::Status add_boards(const Words& words, const std::vector<Board>& boards,
                        std::vector<const Board*>& chosen) {
  if (words.size() != 3) return wrong("write: boards COUNT KIND, such as: boards 8 h100-sxm");
  GPUWRIGHT_TRY(const std::uint32_t count, read_count(words[1], kMostGpus));
  const auto kind =
      std::find_if(boards.begin(), boards.end(), [&](const Board& one) { return one.id == words[2]; });
  if (kind == boards.end()) {
    std::vector<std::string> names;
    names.reserve(boards.size());
    for (const auto& board : boards) names.push_back(board.id);
    return wrong("no board is called " + quoted(words[2]) + "; there are " + base::join(names, ", "));
  }
  if (chosen.size() + count > kMostGpus) {
    return wrong("more than " + std::to_string(kMostGpus) + " GPUs; take fewer boards");
  }
  chosen.insert(chosen.end(), count, &*kind);
  return base::Done{};
}

/// What the machine is. False when the line is about something else.
base::Result<bool> read_machine(const Words& words, const std::vector<Board>& boards, World& world,
                                std::vector<const Board*>& chosen) {
  if (words[0] == "boards") {
    GPUWRIGHT_TRY([[maybe_unused]] auto done, add_boards(words, boards, chosen));
    return true;
  }
  const bool text = words[0] == "driver" || words[0] == "cuda" || words[0] == "missing";
  if (!text) return false;
  if (words.size() != 2) return wrong("write: " + std::string(words[0]) + " and one word");
  if (words[0] == "driver") world.driver = words[1];
  if (words[0] == "cuda") world.cuda = words[1];
  if (words[0] == "missing") world.missing.emplace(words[1]);
  return true;
}

void populate(World& world, const std::vector<const Board*>& chosen) {
  const auto count = static_cast<std::uint32_t>(chosen.size());
  for (std::uint32_t index = 0; index < count; ++index) {
    world.gpus.push_back(make_gpu(*chosen[index], index, bus_of(index, count)));
  }
}

/// "at 5s gpu 2 lost" or the same without the time.
base::Result<Action> read_action(std::string_view line, const World& world) {
  Action action;
  const auto words = base::words(line);
  if (words[0] == "at") {
    if (words.size() < 3) return wrong("write: at TIME and what happens, such as: at 5s gpu 2 lost");
    GPUWRIGHT_TRY(action.at, read_seconds(words[1]));
    line = line.substr(static_cast<std::size_t>(words[2].data() - line.data()));
  }
  GPUWRIGHT_TRY(action.effect, read_line(line, world));
  return action;
}

}  // namespace

base::Result<Scenario> read_scenario(std::string_view text, const std::string& name,
                                     const std::vector<Board>& boards) {
  Scenario scenario;
  std::vector<const Board*> chosen;
  std::vector<Line> later;
  const auto placed = [&](const base::Error& error, std::int64_t number) {
    return base::make_error(error.kind, error.message, name + ":" + std::to_string(number));
  };
  for (const auto& line : lines_without_comments(text)) {
    const auto read = read_machine(base::words(line.text), boards, scenario.world, chosen);
    if (!read.ok()) return placed(read.error(), line.number);
    if (!*read) later.push_back(line);
  }
  populate(scenario.world, chosen);
  for (const auto& line : later) {
    auto action = read_action(line.text, scenario.world);
    if (!action.ok()) return placed(action.error(), line.number);
    scenario.actions.push_back(std::move(action).value());
  }
  std::stable_sort(scenario.actions.begin(), scenario.actions.end(),
                   [](const Action& one, const Action& other) { return one.at < other.at; });
  return scenario;
}

}  // namespace gpuwright::fakegpu
