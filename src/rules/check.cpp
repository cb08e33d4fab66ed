// SPDX-License-Identifier: Apache-2.0
#include "rules/check.h"

#include "base/ids.h"

namespace gpuwright::rules {

Failure& Failure::on(model::SubjectKind kind, const std::string& id) {
  event_.subject.kind = kind;
  event_.subject.id = id;
  return *this;
}

Failure& Failure::with(const std::string& parameter, const std::string& value) {
  event_.params[parameter] = value;
  return *this;
}

Failure& Failure::proof_at(const model::Evidence* place) {
  constexpr std::size_t kMostEvidence = 4;
  if (place != nullptr && event_.evidence.size() < kMostEvidence) event_.evidence.push_back(*place);
  return *this;
}

Look::Look(const char* check, const Situation& situation) : machine_(situation.machine) {
  verdict_.check = check;
}

Failure Look::fails(const std::string& signal) {
  model::Event& event = verdict_.events.emplace_back();
  event.signal = signal;
  event.signature = "check:" + verdict_.check;
  return Failure(event, machine_);
}

void Look::note_missing(model::AbsentReason reason, const model::Evidence* place) {
  constexpr std::size_t kMostMissing = 8;
  if (verdict_.missing.size() >= kMostMissing) return;
  model::MissingFact missing;
  missing.reason = reason;
  if (place != nullptr) missing.place = *place;
  verdict_.missing.push_back(std::move(missing));
}

model::Verdict Look::conclude() {
  verdict_.outcome = !verdict_.events.empty()    ? model::Outcome::Fails
                     : !verdict_.missing.empty() ? model::Outcome::Unknown
                                                 : model::Outcome::Passes;
  return std::move(verdict_);
}

model::Verdict Look::not_applicable() {
  verdict_.outcome = model::Outcome::NotApplicable;
  verdict_.events.clear();
  verdict_.missing.clear();
  return std::move(verdict_);
}

std::vector<model::Verdict> run_checks(const Situation& situation) {
  std::vector<model::Verdict> verdicts;
  verdicts.reserve(all_checks().size());
  for (const Check& check : all_checks()) {
    if (check.quick || !situation.quick)
      verdicts.push_back(check.check(Look(check.id, situation), situation));
  }
  return verdicts;
}

bool is_gpu(const model::PciFunction& function) {
  return model::key_text(function.vendor) == "10de" && model::key_text(function.class_code).starts_with("03");
}

bool has_gpu(const model::Machine& machine) {
  if (!model::each(machine.gpus).empty()) return true;
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (is_gpu(function)) return true;
  }
  return false;
}

std::string gpu_id(const model::GpuReport& gpu) {
  const auto address = base::PciAddress::parse(model::key_text(gpu.pci));
  if (!address) return "#" + model::key_text(gpu.index);
  std::string text = address->text();
  return text.substr(0, text.rfind('.'));
}

}  // namespace gpuwright::rules
