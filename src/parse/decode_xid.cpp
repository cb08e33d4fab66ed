// "NVRM: Xid (PCI:0000:3b:00): 79, pid=6755, name=python3, GPU has fallen off the bus." Every error of the
// NVIDIA driver comes as one such line; the number says what happened, the tail where. The signature finds
// the line in all its historic forms; this reads the tail. Source:
// https://docs.nvidia.com/deploy/xid-errors/index.html
// SPDX-License-Identifier: Apache-2.0
#include "parse/decode_xid.h"

#include "base/text.h"
#include "parse/decode_nvlink5.h"
#include "parse/fold_key.h"
#include "parse/subject.h"
#include "parse/xid_detail.h"

namespace gpuwright::parse {

namespace {

/// The tail without pid and name.
std::string_view tail_of(const Match& match) {
  return read_xid_owner(match.capture("text")).rest;
}

std::uint64_t xid_key(const Match& match) {
  const std::string_view code_text = match.capture("code");
  std::uint64_t hash = mix_key(kEmptyKey, match.capture("gpu"));
  hash = mix_key(hash, code_text);
  hash = mix_key(hash, match.capture("mig"));
  hash = mix_key(hash, match.capture("ci"));
  return mix_key(hash, xid_detail_key(base::parse_int(code_text).value_or(0), tail_of(match)));
}

void add_row(std::int64_t code, const catalog::Catalog& catalog, Params& params) {
  const catalog::XidRow* row = catalog.xid(code);
  if (row == nullptr) {
    params["action"] = "UNKNOWN";
    return;
  }
  params["mnemonic"] = row->mnemonic;
  params["action"] = row->action;
  if (!row->investigate.empty()) params["investigate"] = row->investigate;
  params["severity"] = row->severity;
  params["meaning"] = row->meaning.en;
  params["meaning_zh"] = row->meaning.zh;
  if (row->applies_to == "before Ampere") params["historic"] = "yes";
}

/// Xid 144-150: unit, link, reason and the row of the table.
void add_nvlink5(std::int64_t code, std::string_view tail, const catalog::Catalog& catalog, Params& params) {
  const std::optional<Nvlink5Line> line = read_nvlink5_line(tail);
  if (!line) return;
  params["unit"] = line->unit;
  params["printed"] = line->printed;
  if (line->link) params["link"] = std::to_string(*line->link);
  const Nvlink5Meaning meaning = decode_nvlink5(code, *line, catalog.nvlink5());
  if (!meaning.layout.empty()) params["layout"] = meaning.layout;
  if (meaning.reason) params["reason"] = std::to_string(*meaning.reason);
  if (meaning.row == nullptr) return;
  params["subunit"] = meaning.row->subunit;
  params["action"] = meaning.action;
  params["investigate"] = meaning.investigate;
  params["table_severity"] = meaning.row->severity;
  params["local_effects"] = meaning.row->local_effects;
  params["remote_effects"] = meaning.row->remote_effects;
}

bool is_nvlink5(std::int64_t code) {
  return code >= 144 && code <= 150;
}

std::vector<model::Event> decode_xid_match(const Match& match, const catalog::Catalog& catalog) {
  const std::optional<std::int64_t> code = base::parse_int(match.capture("code"));
  if (!code || *code <= 0 || *code > 99999) return {};
  const std::string_view text = match.capture("text");
  const XidOwner owner = read_xid_owner(text);
  Params params;
  params["code"] = std::to_string(*code);
  params["gpu"] = canonical_device(match.capture("gpu"), model::SubjectKind::Gpu);
  params["bus_id"] = canonical_device(match.capture("gpu"), model::SubjectKind::Pci);
  add_row(*code, catalog, params);
  const std::string_view pid = owner.pid.empty() ? match.capture("pid") : owner.pid;
  const std::string_view process = owner.process.empty() ? match.capture("process") : owner.process;
  if (!pid.empty()) params["pid"] = std::string(pid);
  if (!process.empty()) params["process"] = base::printable(process, 64);
  if (!match.capture("mig").empty()) params["mig"] = std::string(match.capture("mig"));
  if (!match.capture("ci").empty()) params["compute_instance"] = std::string(match.capture("ci"));
  const std::string tail = base::printable(owner.rest, 300);
  if (!tail.empty()) params["text"] = base::printable(tail, 160);
  read_xid_detail(*code, tail, params);
  if (is_nvlink5(*code)) add_nvlink5(*code, tail, catalog, params);

  model::Event event;
  event.signal = "xid." + params["code"];
  event.subject.kind = model::SubjectKind::Gpu;
  event.subject.id = params["gpu"];
  const auto link = params.find("link");
  const std::optional<std::int64_t> number =
      link == params.end() ? std::nullopt : base::parse_int(link->second);
  if (number && *number >= 0) {
    event.subject.kind = model::SubjectKind::Link;
    event.subject.link = number;
  }
  event.params = std::move(params);
  return {event};
}

}  // namespace

const Decoder kXidDecoder = {"xid", xid_key, decode_xid_match};

}  // namespace gpuwright::parse
