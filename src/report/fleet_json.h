// Many nodes for a program. docs/schema/fleet.schema.json describes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/fleet.h"

#include <string>

namespace gpuwright::report {

/// One document with a line end.
std::string render_fleet_json(const model::FleetReport& fleet, const catalog::Catalog& catalog,
                              catalog::Language language);

}  // namespace gpuwright::report
