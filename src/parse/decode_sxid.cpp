// "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up". Source:
// https://github.com/NVIDIA/open-gpu-kernel-modules/blob/main/src/common/nvswitch/kernel/inc/error_nvswitch.h
// (the printers) and the Fabric Manager user guide (the classes).
// SPDX-License-Identifier: Apache-2.0
#include "parse/decode_sxid.h"

#include "base/text.h"
#include "parse/fold_key.h"
#include "parse/subject.h"

#include <optional>

namespace gpuwright::parse {

namespace {

using Params = std::map<std::string, std::string>;

/// "00000000:86:00.0" (Fabric Manager) and "0000:86:00.0" (kernel) are one switch.
std::string_view without_leading_zeros(std::string_view address) {
  const std::size_t start = address.find_first_not_of('0');
  return start == std::string_view::npos ? address : address.substr(start);
}

/// The second and third line of one error: they repeat its number, with detail for NVIDIA.
bool is_companion(std::string_view text) {
  return base::starts_with_ignoring_case(text, "Data {") ||
         (base::starts_with_ignoring_case(text, "Severity ") && base::contains(text, "ngine instance"));
}

std::uint64_t sxid_key(const Match& match) {
  const std::uint64_t key =
      mix_key(mix_key(kEmptyKey, without_leading_zeros(match.capture("switch"))), match.capture("code"));
  return is_companion(match.capture("text")) ? key + 1 : key;
}

/// "Fatal", "Non-fatal", "Correctable" in front, or the number of the severity line (0: not fatal). Empty
/// where the line does not say.
std::string printed_severity(std::string_view text) {
  for (const char* word : {"Fatal", "Non-fatal", "Correctable"}) {
    if (base::starts_with_ignoring_case(text, word)) return base::lower(word);
  }
  if (base::starts_with_ignoring_case(text, "Severity 0")) return "non-fatal";
  if (base::starts_with_ignoring_case(text, "Severity 1")) return "fatal";
  return "";
}

std::optional<std::int64_t> link_of(std::string_view text) {
  const std::size_t at = text.find("Link ");
  if (at == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> parts = base::words(text.substr(at + 5, 20));
  return parts.empty() ? std::nullopt : base::parse_int(parts.front());
}

/// What decides about the switch: the number's class in the guide, and the word in the line where the guide
/// is silent or calls non-fatal what the driver printed as fatal.
std::string effect_of(const std::string& guide_class, const std::string& printed) {
  if (guide_class == "non-fatal" && printed == "fatal") return "printed-fatal";
  if (guide_class == "always-fatal" || guide_class == "potentially-fatal" || guide_class == "non-fatal")
    return guide_class;
  if (printed == "fatal") return "printed-fatal";
  if (printed == "non-fatal" || printed == "correctable") return "printed-non-fatal";
  return "unknown";
}

std::vector<model::Event> decode_sxid_match(const Match& match, const catalog::Catalog& catalog) {
  const std::optional<std::int64_t> code = base::parse_int(match.capture("code"));
  if (!code || *code <= 0 || *code > 99999) return {};
  Params params;
  params["code"] = std::to_string(*code);
  params["switch"] = canonical_device(match.capture("switch"), model::SubjectKind::Switch);
  const std::string text = base::printable(match.capture("text"), 200);
  std::string printed = printed_severity(text);
  if (!match.capture("fatal").empty()) printed = base::lower(match.capture("fatal"));
  std::optional<std::int64_t> link = link_of(text);
  if (!match.capture("port").empty()) link = base::parse_int(match.capture("port"));
  if (!printed.empty()) params["printed"] = printed;
  if (link) params["link"] = std::to_string(*link);
  if (!text.empty()) params["text"] = base::printable(text, 120);
  const catalog::SxidRow* row = catalog.sxid(*code);
  if (row != nullptr) {
    params["mnemonic"] = row->mnemonic;
    params["class"] = row->guide_class;
    params["meaning"] = row->meaning.en;
    params["meaning_zh"] = row->meaning.zh;
  }
  params["effect"] = effect_of(row == nullptr ? "" : row->guide_class, printed);

  model::Event event;
  event.signal = "sxid." + params["code"];
  if (is_companion(text)) event.level = model::EventLevel::Context;
  event.subject.kind = model::SubjectKind::Switch;
  event.subject.id = params["switch"];
  event.params = std::move(params);
  return {event};
}

}  // namespace

const Decoder kSxidDecoder = {"sxid", sxid_key, decode_sxid_match};

}  // namespace gpuwright::parse
