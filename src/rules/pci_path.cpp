// SPDX-License-Identifier: Apache-2.0
#include "rules/pci_path.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace gpuwright::rules {

namespace {

using base::PciAddress;
using model::SubjectKind;

constexpr std::uint32_t kMostBusesBelow = 16;  // a root port, two levels of switches, eight devices

/// The slot: all functions of a card are one.
std::optional<PciAddress> slot_of(const model::Subject& subject) {
  auto address = PciAddress::parse(subject.id);
  if (address) address->function = 0;
  return address;
}

bool is_card(SubjectKind kind) {
  return kind == SubjectKind::Gpu || kind == SubjectKind::Link || kind == SubjectKind::Nic ||
         kind == SubjectKind::Disk;
}

bool fits_below(const PciAddress& port, const PciAddress& card) {
  if (port.domain != card.domain) return false;
  return port.bus == 0 || (port.bus < card.bus && card.bus - port.bus <= kMostBusesBelow);
}

}  // namespace

PciPaths::PciPaths(const std::vector<model::Event>& events) {
  for (const model::Event& event : events) {
    const auto slot = slot_of(event.subject);
    if (slot && is_card(event.subject.kind)) cards_.insert(*slot);
  }
}

std::vector<PciAddress> PciPaths::cards_below(const PciAddress& port) const {
  std::vector<PciAddress> below;
  std::copy_if(cards_.begin(), cards_.end(), std::back_inserter(below),
               [&](const PciAddress& card) { return fits_below(port, card); });
  return below;
}

bool PciPaths::leads_to(const PciAddress& port, const PciAddress& card) const {
  const std::vector<PciAddress> below = cards_below(port);
  return below.empty() || std::find(below.begin(), below.end(), card) != below.end();
}

bool PciPaths::may_share(const model::Subject& a, const model::Subject& b) const {
  const auto first = slot_of(a), second = slot_of(b);
  if (!first || !second || *first == *second) return true;
  const bool first_is_card = is_card(a.kind), second_is_card = is_card(b.kind);
  if (first_is_card && second_is_card) return false;
  if (first_is_card) return leads_to(*second, *first);
  if (second_is_card) return leads_to(*first, *second);
  const std::vector<PciAddress> below = cards_below(*first), others = cards_below(*second);
  const bool common = std::any_of(below.begin(), below.end(), [&](const PciAddress& card) {
    return std::find(others.begin(), others.end(), card) != others.end();
  });
  return below.empty() || others.empty() || common;
}

}  // namespace gpuwright::rules
