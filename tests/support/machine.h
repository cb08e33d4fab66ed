// Machines that are written down: tests/data/machines and tests/data/faults hold one machine in each YAML
// file, as what it is built on and what differs. docs/FIXTURES.md describes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/source.h"
#include "kit/node.h"
#include "model/finding.h"
#include "model/machine.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::tests {

/// What a machine answers.
struct WrittenMachine {
  struct Command {
    std::string output;
    std::string errors;
    int status = 0;
  };
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> links;
  std::map<std::string, std::vector<std::string>> folders;
  std::map<std::string, Command> commands;     ///< by the argv, joined by blanks, or its beginning
  std::map<std::string, std::string> devices;  ///< path to "c 195:0 0666 0 0"
  std::string kernel;
  std::optional<std::string> nvml;     ///< absent: no NVML
  std::optional<std::string> holders;  ///< as host/holders.h writes them
};

/// Applies the entries of `node` (files, links, folders, commands, devices, kernel, nvml, holders, replace)
/// to `machine`; a null removes. A failed expectation names what is wrong.
void apply(const kit::Node& node, WrittenMachine& machine, const std::string& name);

/// The machine tests/data/machines/NAME.yaml.
WrittenMachine written_machine(const std::string& name);

/// Writes it as a fixture folder of the product's own layout.
void write_fixture(const WrittenMachine& machine, const std::string& folder);

/// It answers as the machine would.
std::unique_ptr<host::Source> source_of(const WrittenMachine& machine);

/// As `gpuwright doctor` would look at it: evidence and facts.
model::Diagnosis diagnose_machine(host::Source& source);

}  // namespace gpuwright::tests
