// A collector reads one group of facts. One small file each, one line in all_collectors.cpp. What cannot be
// read keeps its reason; no collector fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "facts/probe.h"
#include "model/machine.h"

#include <span>

namespace gpuwright::facts {

struct Collector {
  const char* id;         ///< the group of `gpuwright facts` that it fills
  const char* reads;      ///< where it looks, in one line
  const char* privilege;  ///< what only root sees of it; empty: nothing more
  void (*collect)(Probe& probe, const catalog::Catalog& catalog, model::Machine& machine);
  bool quick = false;  ///< part of `doctor --quick`: takes milliseconds
};

/// All collectors in the order in which they run: later ones may use what earlier ones found.
std::span<const Collector> all_collectors();

enum class Extent { All, Quick };

/// Everything about the machine behind `source`, or what quick collectors see. Never fails.
model::Machine collect_machine(host::Source& source, const catalog::Catalog& catalog,
                               Extent extent = Extent::All);

}  // namespace gpuwright::facts
