// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/sample_frames.h"

#include "base/frames.h"
#include "base/text.h"

namespace gpuwright::host {

namespace {

using base::ByteReader;
using base::ByteWriter;
using model::SampleValue;

constexpr std::size_t kLeastText = sizeof(std::uint32_t);
constexpr std::size_t kMostText = 200;

std::string text_of(ByteReader& from) {
  return base::printable(from.get_text(), kMostText);
}

void put(ByteWriter& to, const SampleValue& value) {
  to.put(value.kind);
  if (value.kind == SampleValue::Kind::Absent) {
    to.put(static_cast<std::uint8_t>(value.reason));
  } else if (value.kind == SampleValue::Kind::Count) {
    to.put(value.count);
  } else {
    to.put(value.real);
  }
}

SampleValue value_of(ByteReader& from) {
  switch (from.get<SampleValue::Kind>()) {
    case SampleValue::Kind::Count:
      return SampleValue::of_count(from.get<std::uint64_t>());
    case SampleValue::Kind::Real:
      return SampleValue::of_real(from.get<double>());
    default: {
      const auto reason = from.get<std::uint8_t>();
      const auto last = static_cast<std::uint8_t>(model::AbsentReason::Malformed);
      return SampleValue::absent(static_cast<model::AbsentReason>(reason > last ? last : reason));
    }
  }
}

void put(ByteWriter& to, const std::vector<SampleValue>& values) {
  to.put(static_cast<std::uint32_t>(values.size()));
  for (const SampleValue& value : values) put(to, value);
}

std::vector<SampleValue> values_of(ByteReader& from) {
  constexpr std::size_t kLeast = 2;  // bytes of a value
  std::vector<SampleValue> values(from.get_count(kLeast));
  for (SampleValue& value : values) value = value_of(from);
  return values;
}

}  // namespace

std::string frame_bytes(SampleTag tag, std::string_view content) {
  return base::frame_bytes(static_cast<char>(tag), content);
}

std::optional<SampleFrame> take_frame(std::string_view& bytes, bool& broken) {
  const auto frame = base::take_frame(bytes, broken);
  if (!frame) return std::nullopt;
  return SampleFrame{static_cast<SampleTag>(frame->tag), frame->content};
}

std::string encode(const model::SampledDriver& driver) {
  ByteWriter writer;
  writer.put_text(driver.driver_version);
  writer.put_text(driver.nvml_version);
  writer.put(driver.gpus);
  writer.put(driver.simulated);
  return writer.take();
}

std::string encode(const model::SampledGpu& gpu) {
  ByteWriter writer;
  writer.put(gpu.index);
  writer.put(gpu.minor);
  for (const std::string* text :
       {&gpu.uuid, &gpu.name, &gpu.pci, &gpu.serial, &gpu.vbios_version, &gpu.inforom_version})
    writer.put_text(*text);
  writer.put(static_cast<std::uint32_t>(gpu.parts.size()));
  for (const model::MigPart& part : gpu.parts) {
    writer.put_text(part.uuid);
    writer.put_text(part.profile);
    writer.put(part.gpu_instance);
    writer.put(part.compute_instance);
  }
  return writer.take();
}

std::string encode(const model::GpuSample& sample) {
  ByteWriter writer;
  writer.put(sample.index);
  writer.put(sample.lost);
  writer.put_text(sample.why);
  writer.put(sample.took_us);
  put(writer, sample.values);
  writer.put(sample.has_processes);
  writer.put(static_cast<std::uint32_t>(sample.processes.size()));
  for (const model::SampledProcess& process : sample.processes) {
    writer.put(process.pid);
    writer.put(process.memory_bytes);
    writer.put(process.gpu_instance);
    writer.put(process.graphics);
  }
  writer.put(static_cast<std::uint32_t>(sample.parts.size()));
  for (const model::PartSample& part : sample.parts) {
    writer.put_text(part.uuid);
    put(writer, part.values);
  }
  writer.put(static_cast<std::uint32_t>(sample.xids.size()));
  for (const std::uint64_t xid : sample.xids) writer.put(xid);
  return writer.take();
}

std::optional<model::SampledDriver> decode_driver(std::string_view content) {
  ByteReader reader(content);
  model::SampledDriver driver;
  driver.driver_version = text_of(reader);
  driver.nvml_version = text_of(reader);
  driver.gpus = reader.get<std::uint32_t>();
  driver.simulated = reader.get<std::uint8_t>() != 0;
  return reader.ok() ? std::optional(driver) : std::nullopt;
}

std::optional<model::SampledGpu> decode_gpu(std::string_view content) {
  ByteReader reader(content);
  model::SampledGpu gpu;
  gpu.index = reader.get<std::uint32_t>();
  gpu.minor = reader.get<std::int64_t>();
  for (std::string* text :
       {&gpu.uuid, &gpu.name, &gpu.pci, &gpu.serial, &gpu.vbios_version, &gpu.inforom_version})
    *text = text_of(reader);
  gpu.parts.resize(reader.get_count(2 * kLeastText + 2 * sizeof(std::uint32_t)));
  for (model::MigPart& part : gpu.parts) {
    part.uuid = text_of(reader);
    part.profile = text_of(reader);
    part.gpu_instance = reader.get<std::uint32_t>();
    part.compute_instance = reader.get<std::uint32_t>();
  }
  return reader.ok() ? std::optional(gpu) : std::nullopt;
}

std::optional<model::GpuSample> decode_sample(std::string_view content) {
  ByteReader reader(content);
  model::GpuSample sample;
  sample.index = reader.get<std::uint32_t>();
  sample.lost = reader.get<std::uint8_t>() != 0;
  sample.why = text_of(reader);
  sample.took_us = reader.get<std::int64_t>();
  sample.values = values_of(reader);
  sample.has_processes = reader.get<std::uint8_t>() != 0;
  sample.processes.resize(reader.get_count(3 * sizeof(std::uint64_t) + 1));
  for (model::SampledProcess& process : sample.processes) {
    process.pid = reader.get<std::int64_t>();
    process.memory_bytes = reader.get<std::uint64_t>();
    process.gpu_instance = reader.get<std::int64_t>();
    process.graphics = reader.get<std::uint8_t>() != 0;
  }
  sample.parts.resize(reader.get_count(kLeastText + sizeof(std::uint32_t)));
  for (model::PartSample& part : sample.parts) {
    part.uuid = text_of(reader);
    part.values = values_of(reader);
  }
  sample.xids.resize(reader.get_count(sizeof(std::uint64_t)));
  for (std::uint64_t& xid : sample.xids) xid = reader.get<std::uint64_t>();
  return reader.ok() ? std::optional(sample) : std::nullopt;
}

}  // namespace gpuwright::host
