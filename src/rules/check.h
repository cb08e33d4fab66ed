// A check judges facts about the machine: one question each ("is the library of the module's version?"), with
// one of four answers. What it finds wrong are signals, which raise causes like those of any log line. One
// small function each, one line in all_checks.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/machine.h"
#include "model/observations.h"
#include "model/verdict.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::rules {

/// What checks may look at. Pure: the day is the caller's.
struct Situation {
  const model::Machine& machine;
  const model::Observations& observations;
  const catalog::Catalog& catalog;
  std::int64_t today_s = 0;   ///< unix time, UTC; 0: not known, nothing is judged by its age
  std::string workload = {};  ///< class of data/baseline.csv: "training", "inference", "hpc",
                              ///< "shared-workstation"; empty: none named
  bool quick = false;         ///< only quick facts were collected: only quick checks run
};

/// Something wrong, while a check is at work.
class Failure {
 public:
  Failure(model::Event& event, const model::Machine& machine) : event_(event), machine_(machine) {}
  Failure& on(model::SubjectKind kind, const std::string& id);
  Failure& with(const std::string& parameter, const std::string& value);
  /// The place where the fact was read becomes evidence.
  template <class T>
  Failure& proof(const model::Field<T>& fact) {
    return proof_at(machine_.place(fact.provenance()));
  }
  Failure& proof_at(const model::Evidence* place);

 private:
  model::Event& event_;
  const model::Machine& machine_;
};

/// One run of one check: collects what is wrong and what could not be seen, and draws the conclusion.
class Look {
 public:
  Look(const char* check, const Situation& situation);

  /// The fact's value; null when it is absent, which is noted.
  template <class T>
  const T* need(const model::Field<T>& fact) {
    if (fact.known()) return &fact.value();
    note_missing(fact.reason(), machine_.place(fact.provenance()));
    return nullptr;
  }
  /// Something is wrong: raises the signal.
  Failure fails(const std::string& signal);
  /// Fails when something was wrong, else Unknown when something needed was absent, else Passes.
  model::Verdict conclude();
  model::Verdict not_applicable();

 private:
  void note_missing(model::AbsentReason reason, const model::Evidence* place);
  const model::Machine& machine_;
  model::Verdict verdict_;
};

struct Check {
  const char* id;
  model::Verdict (*check)(Look look, const Situation& situation);
  bool quick = false;  ///< needs only facts of quick collectors: part of `doctor --quick`
};

/// All checks, sorted by id.
std::span<const Check> all_checks();

/// Runs them all, or the quick ones, in that order.
std::vector<model::Verdict> run_checks(const Situation& situation);

/// True for a display controller of NVIDIA's, whoever drives it. Source: PCI Code and ID Assignment
/// Specification, class 03.
bool is_gpu(const model::PciFunction& function);

/// True when the machine shows an NVIDIA GPU: on the bus or through the driver. Checks of what only GPU
/// machines need are not applicable elsewhere.
bool has_gpu(const model::Machine& machine);

/// The subject's id of a GPU: its address without function, else "#index".
std::string gpu_id(const model::GpuReport& gpu);

}  // namespace gpuwright::rules
