// Identifiers that must not be mixed up. Each is its own type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::base {

/// A PCI address: domain:bus:device.function. Source: PCI Firmware Specification; Linux prints
/// `dddd:bb:dd.f`, the NVIDIA driver `dddd:bb:dd` in Xid lines, nvidia-smi `dddddddd:BB:DD.F`, old lines
/// `bb:dd.f`.
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;

  /// Reads any of the four spellings. Nothing if it is none of them.
  static std::optional<PciAddress> parse(std::string_view text);
  /// "0000:3b:00.0", lower case.
  std::string text() const;
  // clang-tidy 14 errs: the 0 is the one that the compiler itself puts behind a defaulted <=>.
  auto operator<=>(const PciAddress&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// A value whose type tells what it is. Tag is only a name.
template <class Tag, class Value>
class StrongId {
 public:
  explicit StrongId(Value value) : value_(std::move(value)) {}
  const Value& value() const { return value_; }
  auto operator<=>(const StrongId&) const = default;

 private:
  Value value_;
};

/// A GPU's "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".
using GpuUuid = StrongId<struct GpuUuidTag, std::string>;
/// The number of an NVIDIA driver error ("Xid 79").
using Xid = StrongId<struct XidTag, std::int64_t>;
/// The number of an NVSwitch error ("SXid 20034").
using Sxid = StrongId<struct SxidTag, std::int64_t>;
/// The id of a cause in data/causes.
using CauseId = StrongId<struct CauseIdTag, std::string>;

}  // namespace gpuwright::base
