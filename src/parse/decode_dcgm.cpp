// dcgm-exporter prints a metric as NAME{labels} value; people also paste tables of field names and values. A
// field holds the last value DCGM saw, without a time, so what it raises is weaker proof than a line of the
// kernel log. Source: DCGM, dcgm_fields.h and dcgm_errors.h; dcgm-exporter metrics.
// SPDX-License-Identifier: Apache-2.0
#include "parse/decode_dcgm.h"

#include "base/ids.h"
#include "base/text.h"
#include "parse/dcgm_messages.h"
#include "parse/fold_key.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace gpuwright::parse {
namespace {

/// The text behind `label` up to a delimiter.
std::string_view behind(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + label.size());
  return rest.substr(0, rest.find_first_of(" \",;)}]|\t"));
}

std::string_view address_text(std::string_view line) {
  for (const char* label : {"PCI:", "pci_bus_id=\"", "pci="}) {
    const std::string_view text = behind(line, label);
    if (base::PciAddress::parse(text)) return text;
  }
  return {};
}

std::string_view index_text(std::string_view line) {
  const std::string_view label = behind(line, "gpu=\"");
  return base::parse_int(label) ? label : std::string_view();
}

void set_subject(std::string_view line, model::Event& event) {
  std::optional<std::int64_t> index = base::parse_int(index_text(line));
  if (!index) index = dcgm_gpu_of_message(line);
  if (index) event.params["gpu_index"] = std::to_string(*index);
  const auto address = base::PciAddress::parse(address_text(line));
  event.subject.kind = index || address ? model::SubjectKind::Gpu : model::SubjectKind::Host;
  if (address) {
    const std::string text = address->text();
    event.subject.id = text.substr(0, text.rfind('.'));
  } else if (index) {
    event.subject.id = "#" + std::to_string(*index);
  }
}

std::uint64_t code_key(const Match& match) {
  std::uint64_t hash = mix_key(kEmptyKey, match.capture("code"));
  hash = mix_key(hash, address_text(match.line));
  const auto gpu = dcgm_gpu_of_message(match.line);
  return mix_key(hash, gpu ? std::to_string(*gpu) : std::string());
}

std::vector<model::Event> decode_code(const Match& match, const catalog::Catalog& /*catalog*/) {
  const std::string code = "DCGM_FR_" + base::printable(match.capture("code"), 64);
  if (code == "DCGM_FR_OK" || code == "DCGM_FR_") return {};
  model::Event event;
  event.signal = dcgm_signal_of_code(code);
  event.params["code"] = code;
  event.params["message"] = base::printable(match.line, 200);
  set_subject(match.line, event);
  if (event.signal == "dcgm.xid") event.level = model::EventLevel::Context;
  std::vector<model::Event> events;
  if (event.signal == "dcgm.xid") {
    if (const auto xid = dcgm_xid_of_message(match.line); xid && *xid > 0) {
      model::Event raised = event;
      raised.signal = "xid." + std::to_string(*xid);
      raised.level = model::EventLevel::Alarm;
      raised.params["code"] = std::to_string(*xid);
      events.push_back(std::move(raised));
    }
  }
  events.push_back(std::move(event));
  return events;
}

/// The first number behind the name and its labels: "54,731,746,511", "9.6e9", "= 79".
std::optional<double> field_value(std::string_view text) {
  if (!text.empty() && text.front() == '{') {
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return std::nullopt;
    text = text.substr(close + 1);
  }
  for (const std::string_view raw : base::words(text)) {
    std::string word;
    for (const char c : raw)
      if (c != ',' && c != '|' && c != '`' && c != '=' && c != ':' && c != ';') word.push_back(c);
    if (word.empty()) continue;
    const std::size_t exponent = word.find_first_of("eE");
    const auto mantissa = base::parse_double(std::string_view(word).substr(0, exponent));
    if (!mantissa) continue;
    if (exponent == std::string::npos) return mantissa;
    const auto power = base::parse_int(std::string_view(word).substr(exponent + 1));
    if (power && *power >= -20 && *power <= 20)
      return *mantissa * std::pow(10.0, static_cast<double>(*power));
  }
  return std::nullopt;
}

/// The line behind the field's name.
std::string_view behind_field(const Match& match) {
  const std::string_view field = match.capture("field");
  const std::size_t at = match.line.find(field);
  return field.empty() || at == std::string_view::npos ? std::string_view()
                                                       : match.line.substr(at + field.size());
}

struct FieldRow {
  const char* field;  ///< without DCGM_FI_DEV_
  double least;       ///< from this value on it means something
  const char* signal;
};

// The limits are those of the judge of nvidia-smi.
constexpr FieldRow kFields[] = {
    {"ECC_SBE_VOL_TOTAL", 100'000, "gpu.ecc_corrected_storm"},
    {"ECC_SBE_VOL_DEV", 100'000, "gpu.ecc_corrected_storm"},
    {"ECC_SBE_AGG_TOTAL", 10'000'000, "gpu.ecc_corrected_storm"},
    {"ECC_DBE_VOL_TOTAL", 1, "gpu.ecc_uncorrected"},
    {"ECC_DBE_VOL_DEV", 1, "gpu.ecc_uncorrected"},
    {"ROW_REMAP_FAILURE", 1, "gpu.remap_failed"},
    {"ROW_REMAP_PENDING", 1, "gpu.remap_pending"},
    {"UNCORRECTABLE_REMAPPED_ROWS", 512, "gpu.remap_limit"},
    {"RETIRED_PENDING", 1, "gpu.retired_pages_pending"},
};

std::uint64_t field_key(const Match& match) {
  std::uint64_t hash = mix_key(kEmptyKey, match.capture("field"));
  hash = mix_key(hash, address_text(match.line));
  hash = mix_key(hash, index_text(match.line));
  const auto value = match.capture("field").empty() ? dcgm_xid_of_message(match.line) : std::nullopt;
  const auto metric = field_value(behind_field(match));
  const bool xid = match.capture("field") == "XID_ERRORS";
  if (xid && metric) hash = mix_key(hash, std::to_string(*metric));
  return mix_key(hash, value ? std::to_string(*value) : std::string());
}

std::vector<model::Event> xid_event(std::int64_t code, std::string_view line) {
  if (code <= 0 || code > 9999) return {};
  model::Event event;
  event.signal = "xid." + std::to_string(code);
  event.params["code"] = std::to_string(code);
  set_subject(line, event);
  return {event};
}

std::vector<model::Event> decode_field(const Match& match, const catalog::Catalog& /*catalog*/) {
  const std::string_view field = match.capture("field");
  if (field.empty()) {
    const auto xid = dcgm_xid_of_message(match.line);
    return xid ? xid_event(*xid, match.line) : std::vector<model::Event>();
  }
  const auto value = field_value(behind_field(match));
  if (!value || !(*value >= 0) || *value > 1e18) return {};
  if (field == "XID_ERRORS") return xid_event(static_cast<std::int64_t>(*value), match.line);
  for (const FieldRow& row : kFields) {
    if (field != row.field || *value < row.least) continue;
    model::Event event;
    event.signal = row.signal;
    event.params["count"] = std::to_string(static_cast<std::int64_t>(*value));
    event.params["uncorrectable"] = event.params["count"];
    set_subject(match.line, event);
    return {event};
  }
  return {};
}

}  // namespace

const Decoder kDcgmCodeDecoder = {"dcgm-code", code_key, decode_code};
const Decoder kDcgmFieldDecoder = {"dcgm-field", field_key, decode_field};

}  // namespace gpuwright::parse
