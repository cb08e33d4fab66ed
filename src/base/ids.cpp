// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include "base/text.h"

#include <fmt/core.h>

#include <charconv>
#include <vector>

namespace gpuwright::base {

namespace {

std::optional<std::uint32_t> hex_part(std::string_view text, std::size_t min_digits, std::size_t max_digits) {
  std::uint32_t value = 0;
  if (text.size() < min_digits || text.size() > max_digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<PciAddress> PciAddress::parse(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const bool with_domain = parts.size() == 3;
  std::string_view device_part = parts.back();
  std::optional<std::uint32_t> function = 0;
  const std::size_t dot = device_part.find('.');
  if (dot != std::string_view::npos) {
    function = hex_part(device_part.substr(dot + 1), 1, 1);
    device_part = device_part.substr(0, dot);
  } else if (!with_domain) {
    return std::nullopt;  // "3b:00" alone could be a time of day
  }
  const std::optional<std::uint32_t> domain = with_domain ? hex_part(parts[0], 4, 8) : 0;
  const std::optional<std::uint32_t> bus = hex_part(parts[parts.size() - 2], 2, 2);
  const std::optional<std::uint32_t> device = hex_part(device_part, 2, 2);
  if (!domain || !bus || !device || !function || *function > 7) return std::nullopt;
  return PciAddress{*domain, *bus, *device, *function};
}

std::string PciAddress::text() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

}  // namespace gpuwright::base
