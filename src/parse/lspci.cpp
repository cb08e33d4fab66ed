// `lspci -nn`, `lspci -v`, `-vv`, `-vvv`: a line per function that begins with its address, then indented
// details. Details that need root are replaced by "<access denied>". Source: pciutils, lspci.c and ls-caps.c.
// SPDX-License-Identifier: Apache-2.0
#include "parse/lspci.h"

#include "base/ids.h"
#include "base/text.h"
#include "parse/block_evidence.h"

#include <optional>

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxDevices = 20'000;

/// The text between `begin` and the next of the characters in `ends`.
std::string_view after(std::string_view line, std::string_view begin, std::string_view ends) {
  const std::size_t at = line.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + begin.size());
  return rest.substr(0, rest.find_first_of(ends));
}

/// "[10de:2330]" anywhere in the line.
void read_ids(std::string_view line, model::PciDevice& device) {
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    if (line.size() < at + 11 || line[at + 5] != ':' || line[at + 10] != ']') continue;
    const std::string_view vendor = line.substr(at + 1, 4);
    const std::string_view id = line.substr(at + 6, 4);
    if (!base::parse_hex(vendor) || !base::parse_hex(id)) continue;
    device.vendor_id = base::lower(vendor);
    device.device_id = base::lower(id);
  }
}

std::optional<model::PciDevice> read_header(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space > 16) return std::nullopt;
  const std::string_view address = line.substr(0, space);
  if (!base::contains(address, ".") || !base::contains(address, ":")) return std::nullopt;
  const auto parsed = base::PciAddress::parse(address);
  if (!parsed) return std::nullopt;
  const std::string_view rest = base::trim(line.substr(space));
  const std::size_t colon = rest.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  model::PciDevice device;
  device.address = parsed->text();
  std::string_view class_name = rest.substr(0, colon);
  class_name = base::trim(class_name.substr(0, class_name.find('[')));
  device.class_name = base::printable(class_name, 60);
  device.name = base::printable(rest.substr(colon + 2), 120);
  device.gone = base::contains(rest, "(rev ff)");
  read_ids(rest, device);
  return device;
}

std::optional<double> speed_of(std::string_view line) {
  const auto number = base::parse_number_and_unit(base::trim(after(line, "Speed ", ", (")));
  return number && number->unit == "GT/s" ? std::optional<double>(number->number) : std::nullopt;
}

std::optional<std::int64_t> width_of(std::string_view line) {
  return base::parse_int(base::trim(after(line, "Width x", ", (")));
}

void read_capability(std::string_view line, model::PciDevice& device) {
  if (const auto speed = speed_of(line)) device.link.capable_speed = *speed;
  if (const auto width = width_of(line)) device.link.capable_width = *width;
}

void read_status(std::string_view line, model::Evidence evidence, model::PciDevice& device) {
  if (const auto speed = speed_of(line)) device.link.speed = *speed;
  if (const auto width = width_of(line)) device.link.width = *width;
  device.link.speed_downgraded = base::contains(after(line, "Speed ", ","), "downgraded");
  device.link.width_downgraded = base::contains(after(line, "Width ", ","), "downgraded");
  device.link.evidence = std::move(evidence);
}

/// The flags that stand with a plus: "SDES+".
std::vector<std::string> set_flags(std::string_view flags) {
  std::vector<std::string> out;
  for (const std::string_view word : base::words(flags)) {
    if (word.size() > 1 && word.back() == '+' && out.size() < 32)
      out.emplace_back(word.substr(0, word.size() - 1));
  }
  return out;
}

void read_bus(std::string_view line, model::PciDevice& device) {
  const auto secondary = base::parse_hex(after(line, "secondary=", ", "));
  const auto subordinate = base::parse_hex(after(line, "subordinate=", ", "));
  if (secondary) device.secondary_bus = static_cast<std::int64_t>(*secondary);
  if (subordinate) device.subordinate_bus = static_cast<std::int64_t>(*subordinate);
}

void read_errors(std::string_view detail, model::Evidence evidence, model::PciDevice& device) {
  if (detail.rfind("UESta:", 0) == 0) {
    device.uncorrectable = set_flags(detail.substr(6));
    device.error_evidence = std::move(evidence);
  } else {
    device.correctable = set_flags(detail.substr(6));
  }
}

void read_detail(std::string_view line, const model::Evidence& evidence, model::PciDevice& device) {
  const std::string_view detail = base::trim(line);
  const auto begins = [detail](std::string_view head) { return detail.substr(0, head.size()) == head; };
  if (begins("LnkCap:")) return read_capability(detail, device);
  if (begins("LnkSta:")) return read_status(detail, evidence, device);
  if (begins("Bus: primary=")) return read_bus(detail, device);
  if (begins("UESta:") || begins("CESta:")) return read_errors(detail, evidence, device);
  if (begins("!!! Unknown header type")) device.gone = true;
  if (begins("Kernel driver in use:")) device.driver = std::string(base::trim(detail.substr(21)));
  if (begins("Kernel modules:") && !device.driver.known()) device.driver = std::string();
  if (base::contains(detail, "<access denied>")) device.access_denied = true;
  if (begins("ACSCtl:")) {
    device.acs_redirect = base::contains(detail, "ReqRedir+") || base::contains(detail, "CmpltRedir+");
    device.acs_evidence = evidence;
  }
  const bool memory = begins("Region ") && base::contains(detail, "Memory at <unassigned>");
  if (memory && device.unassigned_regions.size() < 6) device.unassigned_regions.push_back(evidence);
}

bool is_detail_start(std::string_view line) {
  const std::string_view detail = base::trim(line);
  return detail.substr(0, 7) == "LnkCap:" || detail.substr(0, 7) == "LnkSta:";
}

}  // namespace

bool parse_lspci(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                 model::Observations& out) {
  const std::size_t before = out.pci_devices.size();
  bool open = false;  // indented lines belong to the last device
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.pci_devices.size() - before > kMaxDevices) break;
    if (base::trim(line).empty()) continue;
    const bool indented = line.front() == ' ' || line.front() == '\t';
    if (!indented) {
      auto device = read_header(line);
      open = device.has_value();
      if (!device) continue;
      device->evidence = block_evidence(context, here, line);
      out.pci_devices.push_back(std::move(*device));
      continue;
    }
    // A pasted piece may begin below the device's own line: the link state still tells something.
    if (!open && is_detail_start(line)) {
      out.pci_devices.emplace_back();
      out.pci_devices.back().evidence = block_evidence(context, here, line);
      open = true;
    }
    if (open) read_detail(line, block_evidence(context, here, line), out.pci_devices.back());
  }
  return out.pci_devices.size() > before;
}

}  // namespace gpuwright::parse
