// SPDX-License-Identifier: Apache-2.0
#include "support/scan.h"

#include "base/stream.h"
#include "parse/recogniser.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {

model::Observations observe(const std::string& text) {
  parse::Recogniser recogniser(knowledge());
  base::MemoryStream stream(text);
  EXPECT_TRUE(recogniser.add("text", stream).ok());
  return recogniser.finish();
}

std::vector<model::Event> events_of(const std::string& text, const std::string& signal) {
  std::vector<model::Event> found;
  for (const model::Event& event : observe(text).events) {
    if (event.signal == signal) found.push_back(event);
  }
  return found;
}

model::Event only_event(const std::string& text, const std::string& signal) {
  const std::vector<model::Event> found = events_of(text, signal);
  EXPECT_EQ(found.size(), 1u) << signal << " in: " << text;
  return found.size() == 1 ? found.front() : model::Event{};
}

std::string param(const model::Event& event, const std::string& name) {
  const auto at = event.params.find(name);
  return at == event.params.end() ? std::string() : at->second;
}

}  // namespace gpuwright::tests
