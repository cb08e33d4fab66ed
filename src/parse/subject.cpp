// SPDX-License-Identifier: Apache-2.0
#include "parse/subject.h"

#include "base/ids.h"
#include "base/text.h"

#include <array>

namespace gpuwright::parse {

namespace {

using model::Subject;
using model::SubjectKind;

struct KindName {
  const char* name;
  SubjectKind kind;
};

/// In the order in which a capture decides the subject.
constexpr std::array<KindName, 12> kKinds = {{{"gpu", SubjectKind::Gpu},
                                              {"link", SubjectKind::Link},
                                              {"switch", SubjectKind::Switch},
                                              {"nic", SubjectKind::Nic},
                                              {"pci", SubjectKind::Pci},
                                              {"pod", SubjectKind::Pod},
                                              {"container", SubjectKind::Container},
                                              {"node", SubjectKind::Node},
                                              {"disk", SubjectKind::Disk},
                                              {"process", SubjectKind::Process},
                                              {"job", SubjectKind::Job},
                                              {"host", SubjectKind::Host}}};

std::string param(const std::map<std::string, std::string>& params, const std::string& name) {
  const auto at = params.find(name);
  return at == params.end() ? std::string() : at->second;
}

std::string gpu_id(const std::map<std::string, std::string>& params) {
  const std::string address = param(params, "gpu");
  if (!address.empty()) return canonical_device(address, SubjectKind::Gpu);
  const std::string index = param(params, "gpu_index");
  return index.empty() ? index : "#" + index;
}

/// The kinds that a capture alone can make the subject.
bool decides_alone(SubjectKind kind) {
  return kind != SubjectKind::Link && kind != SubjectKind::Process && kind != SubjectKind::Container &&
         kind != SubjectKind::Job && kind != SubjectKind::Host;
}

Subject make_subject(SubjectKind kind, const std::string& name,
                     const std::map<std::string, std::string>& params) {
  Subject subject;
  subject.kind = kind;
  if (kind == SubjectKind::Gpu || kind == SubjectKind::Link) {
    subject.id = gpu_id(params);
    if (subject.id.empty() && kind == SubjectKind::Link)
      subject.id = canonical_device(param(params, "switch"), SubjectKind::Switch);
    if (kind == SubjectKind::Link) subject.link = base::parse_int(param(params, "link"));
  } else if (kind == SubjectKind::Process) {
    subject.id = param(params, "pid").empty() ? param(params, "process") : param(params, "pid");
  } else if (kind != SubjectKind::Host) {
    subject.id = canonical_device(param(params, name), kind);
  }
  return subject;
}

}  // namespace

std::string canonical_device(std::string_view text, SubjectKind kind) {
  const std::optional<base::PciAddress> address = base::PciAddress::parse(text);
  if (!address) return base::printable(text, 120);
  const std::string full = address->text();
  return kind == SubjectKind::Pci || kind == SubjectKind::Nic ? full : full.substr(0, full.size() - 2);
}

std::optional<SubjectKind> subject_kind(std::string_view name) {
  for (const KindName& entry : kKinds) {
    if (name == entry.name) return entry.kind;
  }
  return std::nullopt;
}

Subject subject_of(const catalog::Signature& signature, const std::map<std::string, std::string>& params) {
  const std::optional<SubjectKind> named = subject_kind(signature.subject);
  if (named) return make_subject(*named, signature.subject, params);
  for (const KindName& entry : kKinds) {
    if (!decides_alone(entry.kind)) continue;
    const bool present =
        entry.kind == SubjectKind::Gpu ? !gpu_id(params).empty() : !param(params, entry.name).empty();
    if (present) return make_subject(entry.kind, entry.name, params);
  }
  return Subject{};
}

}  // namespace gpuwright::parse
