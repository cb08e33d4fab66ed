// A decoder reads what a template cannot say (an Xid's tail, NVLink5 words). One file per decoder, one line
// in all_decoders.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"
#include "parse/match.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

struct Decoder {
  const char* name;
  /// A hash that is equal for matches that fold into one event. Fast: called for each line of a storm. Must
  /// not depend on volatile values (process id, address, time).
  std::uint64_t (*key)(const Match& match);
  /// Turns the match into events (usually one) with signal, subject, params and level set; time, evidence and
  /// count are filled in by the caller. No event: the match means nothing.
  std::vector<model::Event> (*decode)(const Match& match, const catalog::Catalog& catalog);
};

/// All decoders, sorted by name.
std::span<const Decoder> all_decoders();

/// The decoder of that name, or null.
const Decoder* find_decoder(std::string_view name);

}  // namespace gpuwright::parse
