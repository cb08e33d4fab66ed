// Memory errors and their repair: ECC counts, retired pages (up to Turing), remapped rows (from Ampere on).
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::Repair;
using fakegpu::View;

namespace {

bool counts_errors(const View& view) {
  return view.gpu.board->ecc != fakegpu::EccSupport::None && view.quantity("ecc-mode") != 0;
}

bool remaps(const View& view) {
  // Captures of A100 and H100 under MIG show no remapped rows.
  return view.gpu.board->repair == Repair::RemapRows && view.gpu.slices.empty();
}

}  // namespace

extern "C" {

Return nvmlDeviceGetTotalEccErrors(Device device, std::uint32_t type, std::uint32_t counter,
                                   std::uint64_t* count) {
  return ask(__func__, device, [&](View& view) {
    if (type > kUncorrected || counter > kAggregate) return Return::InvalidArgument;
    if (!counts_errors(view)) return Return::NotSupported;
    return put(count, view.gpu.dram[type][counter] + view.gpu.sram[type][counter]);
  });
}

Return nvmlDeviceGetMemoryErrorCounter(Device device, std::uint32_t type, std::uint32_t counter,
                                       std::uint32_t location, std::uint64_t* count) {
  return ask(__func__, device, [&](View& view) {
    if (type > kUncorrected || counter > kAggregate || location > kLocationSram)
      return Return::InvalidArgument;
    if (!counts_errors(view)) return Return::NotSupported;
    if (location == kLocationDram) return put(count, view.gpu.dram[type][counter]);
    if (location == kLocationSram) return put(count, view.gpu.sram[type][counter]);
    return Return::NotSupported;  // since Turing all on-chip memory is counted as SRAM
  });
}

Return nvmlDeviceGetRetiredPages(Device device, std::uint32_t cause, std::uint32_t* count,
                                 std::uint64_t* addresses) {
  return ask(__func__, device, [&](View& view) {
    if (cause > kDoubleBit || count == nullptr) return Return::InvalidArgument;
    if (view.gpu.board->repair != Repair::RetirePages) return Return::NotSupported;
    const auto pages = cause == kDoubleBit ? view.gpu.retired_double : view.gpu.retired_single;
    const auto room = *count;
    *count = pages;
    if (pages > room) return Return::InsufficientSize;
    if (addresses == nullptr) return pages == 0 ? Return::Success : Return::InvalidArgument;
    for (std::uint32_t page = 0; page < pages; ++page) addresses[page] = 0x1000ULL * (page + 1 + 64 * cause);
    return Return::Success;
  });
}

Return nvmlDeviceGetRetiredPagesPendingStatus(Device device, std::uint32_t* pending) {
  return ask(__func__, device, [&](View& view) {
    if (view.gpu.board->repair != Repair::RetirePages) return Return::NotSupported;
    return put(pending, view.gpu.retire_pending ? 1 : 0);
  });
}

Return nvmlDeviceGetRemappedRows(Device device, std::uint32_t* corrected, std::uint32_t* uncorrected,
                                 std::uint32_t* pending, std::uint32_t* failed) {
  return ask(__func__, device, [&](View& view) {
    if (!remaps(view)) return Return::NotSupported;
    if (corrected == nullptr || uncorrected == nullptr || pending == nullptr || failed == nullptr) {
      return Return::InvalidArgument;
    }
    *corrected = view.gpu.remapped_corrected;
    *uncorrected = view.gpu.remapped_uncorrected;
    *pending = view.gpu.remap_pending ? 1 : 0;
    *failed = view.gpu.remap_failed ? 1 : 0;
    return Return::Success;
  });
}

/// A remapped row takes one spare row of a bank of its own; a failure means a bank without any.
Return nvmlDeviceGetRowRemapperHistogram(Device device, RemapperHistogram* histogram) {
  return ask(__func__, device, [&](View& view) {
    if (!remaps(view)) return Return::NotSupported;
    RemapperHistogram banks{};
    banks.none = view.gpu.remap_failed ? 1 : 0;
    const auto used = view.gpu.remapped_corrected + view.gpu.remapped_uncorrected;
    banks.high = used < view.gpu.board->banks ? used : view.gpu.board->banks - banks.none;
    banks.max = view.gpu.board->banks - banks.none - banks.high;
    return put(histogram, banks);
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
