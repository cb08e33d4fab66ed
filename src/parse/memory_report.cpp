// SPDX-License-Identifier: Apache-2.0
#include "parse/memory_report.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace gpuwright::parse {

namespace {

using base::Bytes;
using model::Field;
using model::MemoryReport;

constexpr double kMostBytes = 9.0e15;  // beyond this the text is nonsense

/// The text behind the first `mark`; empty if the mark is not there.
std::string_view behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + mark.size());
}

Field<Bytes> amount_behind(std::string_view text, std::string_view mark) {
  const std::optional<Bytes> amount = parse_amount(behind(text, mark));
  return amount ? Field<Bytes>(*amount) : Field<Bytes>();
}

/// The amount that ends where `mark` begins: "2.16 GiB is free".
Field<Bytes> amount_before(std::string_view text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && end - begin < 24) {
    const char c = text[begin - 1];
    const bool part =
        (c >= '0' && c <= '9') || c == '.' || c == ' ' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!part) break;
    --begin;
  }
  const std::string_view words = text.substr(begin, end - begin);
  const std::size_t digit = words.find_first_of("0123456789");
  if (digit == std::string_view::npos) return {};
  const std::optional<Bytes> amount = parse_amount(words.substr(digit));
  return amount ? Field<Bytes>(*amount) : Field<Bytes>();
}

Field<std::int64_t> integer_behind(std::string_view text, std::string_view mark) {
  const std::string_view rest = behind(text, mark);
  std::size_t length = 0;
  while (length < rest.size() && length < 6 && rest[length] >= '0' && rest[length] <= '9') ++length;
  const std::optional<std::int64_t> number = base::parse_int(rest.substr(0, length));
  return number ? Field<std::int64_t>(*number) : Field<std::int64_t>();
}

std::int64_t bytes_of(const Field<Bytes>& field) {
  return field.known() ? field.value().count() : 0;
}

/// "Process 365 has 47.51 GiB memory in use." In a container the driver tells another process id than the
/// program knows, so the program itself may stand here: the entry that just covers what PyTorch holds is it.
void read_processes(std::string_view line, MemoryReport& report) {
  constexpr std::int64_t kContext = 3LL << 30;  // CUDA context and libraries beside PyTorch's own memory
  constexpr int kMostEntries = 64;
  const std::int64_t held = bytes_of(report.allocated) + bytes_of(report.unallocated);
  std::int64_t others = 0;
  bool any_other = false;
  std::string_view rest = line;
  for (int entry = 0; entry < kMostEntries; ++entry) {
    rest = behind(rest, "Process ");
    if (rest.empty()) break;
    const std::optional<Bytes> amount = parse_amount(behind(rest, " has "));
    if (!amount) continue;
    const bool is_self = !report.in_use.known() && report.allocated.known() && amount->count() >= held &&
                         amount->count() - held < kContext;
    if (is_self) {
      report.in_use = *amount;
      continue;
    }
    others += amount->count();
    any_other = true;
  }
  if (any_other) report.others = Bytes(others);
}

/// PyTorch 2.1 and later: sentences. (2.1 wrote "capacty".)
void read_sentences(std::string_view line, MemoryReport& report) {
  report.gpu_index = integer_behind(line, ". GPU ");
  report.total = amount_behind(line, "a total capacity of ");
  if (!report.total.known()) report.total = amount_behind(line, "a total capacty of ");
  report.free = amount_behind(line, " of which ");
  report.in_use = amount_behind(line, "this process has ");
  report.allowed = amount_before(line, " allowed; ");
  report.allocated = amount_behind(line, "Of the allocated memory ");
  report.private_pools = amount_before(line, " allocated in private pools");
  report.unallocated = amount_before(line, " is reserved by PyTorch but unallocated");
  read_processes(line, report);
}

/// PyTorch before 2.1: a list in parentheses, with "cached" before 1.4 and "reserved in total" since.
void read_list(std::string_view line, MemoryReport& report) {
  report.gpu_index = integer_behind(line, "(GPU ");
  report.total = amount_before(line, " total capacity");
  report.allocated = amount_before(line, " already allocated");
  report.free = amount_before(line, " free;");
  report.allowed = amount_before(line, " allowed;");
  Field<Bytes> reserved = amount_before(line, " reserved in total by PyTorch");
  if (!reserved.known()) reserved = amount_before(line, " cached)");
  if (!reserved.known() || !report.allocated.known()) return;
  report.unallocated = Bytes(std::max<std::int64_t>(0, bytes_of(reserved) - bytes_of(report.allocated)));
}

void put(model::Event& event, const char* name, const Field<Bytes>& field) {
  if (field.known()) event.params[name] = std::to_string(field.value().count());
}

std::string framework_of(std::string_view line) {
  if (base::contains(line, "CUDA out of memory")) return "torch";
  return base::contains(line, "RESOURCE_EXHAUSTED") && !base::contains(line, "OOM when allocating") ? "jax"
                                                                                                    : "tf";
}

}  // namespace

std::optional<base::Bytes> parse_amount(std::string_view text) {
  text = text.substr(0, 40);
  std::size_t length = 0;
  while (length < text.size() && ((text[length] >= '0' && text[length] <= '9') || text[length] == '.'))
    ++length;
  const std::optional<double> number = base::parse_double(text.substr(0, length));
  if (!number) return std::nullopt;
  std::string_view unit = text.substr(length);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  static constexpr std::array<std::pair<const char*, int>, 10> kUnits = {{{"GiB", 30},
                                                                          {"MiB", 20},
                                                                          {"KiB", 10},
                                                                          {"TiB", 40},
                                                                          {"GB", 30},
                                                                          {"MB", 20},
                                                                          {"G", 30},
                                                                          {"M", 20},
                                                                          {"K", 10},
                                                                          {"byte", 0}}};
  for (const auto& [name, shift] : kUnits) {
    if (unit.substr(0, std::string_view(name).size()) != name) continue;
    const double bytes = std::ldexp(*number, shift);
    if (!(bytes >= 0 && bytes < kMostBytes)) return std::nullopt;
    return Bytes(static_cast<std::int64_t>(std::llround(bytes)));
  }
  return std::nullopt;
}

MemoryReport parse_memory_report(std::string_view line) {
  MemoryReport report;
  report.framework = framework_of(line);
  for (const char* mark :
       {"Tried to allocate ", "trying to allocate ", "failed to allocate ", "while trying to allocate ",
        "Out of memory allocating ", "Failed to allocate request for "}) {
    if (!report.asked.known()) report.asked = amount_behind(line, mark);
  }
  if (report.framework == "tf") report.gpu_index = integer_behind(line, "device:GPU:");
  if (report.framework == "tf" && !report.gpu_index.known())
    report.gpu_index = integer_behind(line, "Allocator (GPU_");
  if (report.framework == "jax") report.gpu_index = integer_behind(line, "device ordinal ");
  if (report.framework != "torch") return report;
  if (base::contains(line, "(GPU ")) {
    read_list(line, report);
  } else {
    read_sentences(line, report);
  }
  return report;
}

namespace {

std::uint64_t memory_report_key(const Match& match) {
  const MemoryReport report = parse_memory_report(match.line);
  const std::int64_t gpu = report.gpu_index.known() ? report.gpu_index.value() : -1;
  return static_cast<std::uint64_t>(gpu + 2) * 131u + report.framework.size();
}

std::vector<model::Event> decode_memory_report(const Match& match, const catalog::Catalog&) {
  if (base::contains(match.line, "this is not a failure")) return {};  // an optional work space
  const MemoryReport report = parse_memory_report(match.line);
  model::Event event;
  event.signal = "oom." + report.framework;
  if (report.gpu_index.known()) {
    event.subject.kind = model::SubjectKind::Gpu;
    event.subject.id = "#" + std::to_string(report.gpu_index.value());
    event.params["gpu_index"] = std::to_string(report.gpu_index.value());
  }
  put(event, "asked", report.asked);
  put(event, "total", report.total);
  put(event, "free", report.free);
  put(event, "in_use", report.in_use);
  put(event, "others", report.others);
  put(event, "allocated", report.allocated);
  put(event, "private_pools", report.private_pools);
  put(event, "unallocated", report.unallocated);
  put(event, "allowed", report.allowed);
  return {std::move(event)};
}

}  // namespace

const Decoder kMemoryReportDecoder{"memory-report", memory_report_key, decode_memory_report};

}  // namespace gpuwright::parse
