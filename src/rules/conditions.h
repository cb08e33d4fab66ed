// The small conditions of data/causes: does an event raise a cause, does it stand in the relation that an
// explanation needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/cause.h"
#include "model/event.h"

#include <string_view>
#include <vector>

namespace gpuwright::rules {

/// True when one of `accepted` fits: a plain value, or a comparison ">=4", "<525.105.17", "!=0" by dotted
/// numbers.
bool value_fits(std::string_view value, const std::vector<std::string>& accepted);

/// True when the event's parameters fulfil `when` (the pseudo-parameter `count` is the folded number).
bool fulfils(const model::Event& event, const catalog::Raise& raise);

/// True when both may be the same machine: equal names, or one is unknown.
bool same_host(const model::Subject& a, const model::Subject& b);

/// The GPU, switch, NIC ... that the subject belongs to ("" for the host itself or an unknown one).
std::string device_of(const model::Subject& subject);

/// True when the follower may come from the root by time: within `explain.within_ns` after it, at most
/// `explain.before_ns` before it. Events without comparable clocks are never excluded.
bool in_time(const model::Event& root, const model::Event& follower, const catalog::Explain& explain);

}  // namespace gpuwright::rules
