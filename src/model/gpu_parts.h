// What a GPU's report lists: processes, MIG devices, values that could not be read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <cstdint>
#include <string>

namespace gpuwright::model {

/// A process that holds a GPU.
struct GpuProcess {
  Field<std::int64_t> pid;
  std::string type;  ///< "C" compute, "G" graphics, "C+G", "M" MPS
  std::string name;
  Field<std::int64_t> memory_bytes;

  std::string key() const { return key_text(pid); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("pid", self.pid);
    visit("memory_bytes", self.memory_bytes);
    visit("type", self.type);
    visit("name", self.name);
  }
};

/// One MIG device of a GPU.
struct MigInstance {
  Field<std::int64_t> index;
  Field<std::int64_t> gpu_instance;
  Field<std::int64_t> compute_instance;
  std::string profile;  ///< "3g.40gb", where the tool tells
  std::string uuid;
  Field<std::int64_t> sram_uncorrected;

  std::string key() const { return uuid; }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("index", self.index);
    visit("gpu_instance", self.gpu_instance);
    visit("compute_instance", self.compute_instance);
    visit("sram_uncorrected", self.sram_uncorrected);
    visit("profile", self.profile);
    visit("uuid", self.uuid);
  }
};

/// A value that the tool could not read although it should have been there: "ERR!", "Unknown Error", "GPU
/// requires reset".
struct UnreadableCell {
  std::string field;  ///< as the tool names it
  std::string text;   ///< what stood there
  Evidence evidence;
};

}  // namespace gpuwright::model
