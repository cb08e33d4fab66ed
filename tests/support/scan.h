// Events of a text, without diagnosis: what the scanner, the decoders and the folder make of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/observations.h"

#include <string>
#include <vector>

namespace gpuwright::tests {

/// What the text said, with the embedded knowledge.
model::Observations observe(const std::string& text);

/// The events of that signal.
std::vector<model::Event> events_of(const std::string& text, const std::string& signal);

/// The only event of that signal; a failed expectation and an empty event when there is not exactly one.
model::Event only_event(const std::string& text, const std::string& signal);

/// A parameter, or "" when the event has none of that name.
std::string param(const model::Event& event, const std::string& name);

}  // namespace gpuwright::tests
