// The one pass over evidence: whatever the inputs are, by content: events from single lines, nouns from
// blocks. Memory is bounded: 256 KiB of text, 4 MiB a block, 4,096 distinct events an input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stream.h"
#include "catalog/catalog.h"
#include "model/observations.h"

#include <functional>
#include <memory>
#include <string>

namespace gpuwright::parse {

class Recogniser {
 public:
  /// Keeps a reference to the catalog, which must outlive it.
  explicit Recogniser(const catalog::Catalog& catalog);
  ~Recogniser();

  /// Called now and then with the bytes read so far of the current input.
  using Progress = std::function<void(std::size_t bytes)>;

  /// Reads one input to its end. A read error in the middle keeps what came before and notes it; Io or
  /// Malformed when nothing could be read.
  base::Status add(const std::string& name, base::ByteStream& stream, const Progress& progress = {});

  /// All that was seen, events by rising time where known, else by input and line.
  model::Observations finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuwright::parse
