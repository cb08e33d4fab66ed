// What the sampler's child tells its parent: frames of a length, a tag and a content.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "model/sample.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::host {

enum class SampleTag : char {
  Opens = 'o',    ///< the library is being opened: nothing
  Failed = 'e',   ///< it cannot be: kind of error, text; the child ends
  Driver = 'd',   ///< model::SampledDriver
  Begins = 'b',   ///< a GPU is being asked: its index
  Waits = 'w',    ///< a process of another look sleeps at this GPU, none is sent: its index, ms so far
  Asleep = 'z',   ///< a GPU sleeps, and is not woken by a question: its index
  Gpu = 'g',      ///< which GPU this is: model::SampledGpu
  Sample = 's',   ///< model::GpuSample
  TickDone = 't'  ///< all GPUs were asked
};

/// Commands of the parent: one byte each.
enum class SampleCommand : char { Often = 'h', Whole = 'f' };

struct SampleFrame {
  SampleTag tag = SampleTag::TickDone;
  std::string_view content;
};

/// A frame as bytes. Contents of more than 1 MiB are no frame and become an empty one.
std::string frame_bytes(SampleTag tag, std::string_view content);

/// Takes the first whole frame off `bytes`. Empty: there is none yet. Sets `broken` when there can be none.
std::optional<SampleFrame> take_frame(std::string_view& bytes, bool& broken);

std::string encode(const model::SampledDriver& driver);
std::string encode(const model::SampledGpu& gpu);
std::string encode(const model::GpuSample& sample);
/// Empty when the content is damaged.
std::optional<model::SampledDriver> decode_driver(std::string_view content);
std::optional<model::SampledGpu> decode_gpu(std::string_view content);
std::optional<model::GpuSample> decode_sample(std::string_view content);

}  // namespace gpuwright::host
