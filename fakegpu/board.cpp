// Reading the table of boards.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/board.h"

#include "base/csv.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

__asm__(
    ".section .rodata\n"
    "gpuwright_boards_begin:\n"
    ".incbin \"" GPUWRIGHT_BOARDS
    "\"\n"
    "gpuwright_boards_end:\n"
    ".byte 0\n"
    ".previous\n"
    ".hidden gpuwright_boards_begin\n"
    ".hidden gpuwright_boards_end\n"
    ".global gpuwright_boards_begin\n"
    ".global gpuwright_boards_end\n");

extern "C" {
extern const char gpuwright_boards_begin[] __attribute__((visibility("hidden")));
extern const char gpuwright_boards_end[] __attribute__((visibility("hidden")));
}

namespace gpuwright::fakegpu {
namespace {

/// One row's cells by name.
struct Cells {
  const base::CsvTable& table;
  const base::CsvTable::Row& row;

  std::string text(std::string_view name) const { return table.cell(row, name); }
  double real(std::string_view name) const { return base::parse_double(text(name)).value_or(0); }
  std::uint32_t number(std::string_view name) const {
    return static_cast<std::uint32_t>(base::parse_int(text(name)).value_or(0));
  }
  std::uint32_t hex(std::string_view name) const {
    return static_cast<std::uint32_t>(base::parse_hex(text(name)).value_or(0));
  }
};

void read_limits(const Cells& cells, Board& board) {
  board.default_w = cells.real("default_w");
  board.min_w = cells.real("min_w");
  board.max_w = cells.real("max_w");
  board.idle_w = cells.real("idle_w");
  board.idle_c = cells.real("idle_c");
  board.load_c = cells.real("load_c");
  board.shutdown_c = cells.number("shutdown_c");
  board.slowdown_c = cells.number("slowdown_c");
  board.max_c = cells.number("max_c");
  board.memory_max_c = cells.number("memory_max_c");
  board.graphics_mhz = cells.number("graphics_mhz");
  board.idle_mhz = cells.number("idle_mhz");
  board.memory_mhz = cells.number("memory_mhz");
  board.video_mhz = cells.number("video_mhz");
}

void read_abilities(const Cells& cells, Board& board) {
  board.pcie_generation = cells.number("pcie_generation");
  board.pcie_lanes = cells.number("pcie_lanes");
  board.links = cells.number("links");
  board.link_version = cells.number("link_version");
  board.link_mbs = cells.number("link_mbs");
  const auto ecc = cells.text("ecc");
  board.ecc = ecc == "on" ? EccSupport::On : ecc == "off" ? EccSupport::Off : EccSupport::None;
  const auto repair = cells.text("repair");
  board.repair = repair == "remap"    ? Repair::RemapRows
                 : repair == "retire" ? Repair::RetirePages
                                      : Repair::None;
  board.banks = cells.number("banks");
  board.fans = cells.number("fans");
  const auto profiles = cells.text("mig");
  for (const auto profile : base::words(profiles)) board.mig.emplace_back(profile);
  board.gpm = cells.number("gpm") != 0;
}

Board read_board(const Cells& cells) {
  Board board;
  board.id = cells.text("id");
  board.name = cells.text("name");
  board.architecture = cells.number("architecture");
  board.brand = cells.number("brand");
  const auto capability = cells.text("capability");
  const auto parts = base::split(capability, '.');
  board.capability_major = static_cast<std::int32_t>(base::parse_int(parts.front()).value_or(0));
  board.capability_minor = static_cast<std::int32_t>(base::parse_int(parts.back()).value_or(0));
  board.device_id = cells.hex("device_id");
  board.subsystem_id = cells.hex("subsystem_id");
  board.cores = cells.number("cores");
  board.multiprocessors = cells.number("multiprocessors");
  board.memory_mib = cells.number("memory_mib");
  board.reserved_mib = cells.number("reserved_mib");
  board.bar1_mib = cells.number("bar1_mib");
  board.bus_bits = cells.number("bus_bits");
  board.vbios = cells.text("vbios");
  board.part = cells.text("part");
  board.inforom = cells.text("inforom");
  read_limits(cells, board);
  read_abilities(cells, board);
  return board;
}

/// The gigabytes in "3g.40gb".
double gigabytes(std::string_view profile) {
  const auto parts = base::split(profile, '.');
  const auto number = base::parse_number_and_unit(parts.back());
  return number ? number->number : 0;
}

}  // namespace

std::string_view boards_csv() {
  return {gpuwright_boards_begin, static_cast<std::size_t>(gpuwright_boards_end - gpuwright_boards_begin)};
}

base::Result<std::vector<Board>> boards_from(std::string_view csv) {
  GPUWRIGHT_TRY(const base::CsvTable table, base::parse_csv(csv, "boards.csv"));
  std::vector<Board> boards;
  for (const auto& row : table.rows) boards.push_back(read_board({table, row}));
  return boards;
}

base::Result<MigShare> mig_share(const Board& board, std::string_view profile) {
  if (std::find(board.mig.begin(), board.mig.end(), profile) == board.mig.end()) {
    const auto known = board.mig.empty() ? "this board has no MIG" : "it has " + base::join(board.mig, ", ");
    return base::make_error(base::ErrorKind::Malformed,
                            board.id + " has no profile " + base::printable(profile, 40) + "; " + known);
  }
  MigShare share;
  share.compute_slices =
      static_cast<std::uint32_t>(base::parse_int(profile.substr(0, profile.find('g'))).value_or(1));
  share.memory_eighths =
      static_cast<std::uint32_t>(std::lround(gigabytes(profile) * 8 / gigabytes(board.mig.back())));
  return share;
}

}  // namespace gpuwright::fakegpu
