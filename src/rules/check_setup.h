// Checks of how the machine was set up: who owns the driver, ports, package sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// Host or operator brings the driver, not both. Source: NVIDIA GPU operator documentation.
model::Verdict check_driver_owner(Look look, const Situation& situation);
/// No service fails because its port is taken. Source: Prometheus wiki of default ports, DOCA telemetry.
model::Verdict check_ports(Look look, const Situation& situation);
/// Package sources of NVIDIA have their key, and each one definition. Source: apt-secure(8).
model::Verdict check_repositories(Look look, const Situation& situation);

}  // namespace gpuwright::rules
