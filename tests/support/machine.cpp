// SPDX-License-Identifier: Apache-2.0
#include "support/machine.h"

#include "base/text.h"
#include "facts/collector.h"
#include "host/evidence.h"
#include "host/recorded.h"
#include "kit/yaml.h"
#include "parse/recogniser.h"
#include "rules/diagnose.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gpuwright::tests {

namespace {

// 2026-11-30: what is current in the fixtures stays so.
constexpr std::int64_t kToday = 1'796'000'000;

void apply_texts(const kit::Node& node, std::map<std::string, std::string>& to) {
  for (const auto& [key, value] : node.entries) {
    if (value.is_null()) {
      // a folder's path removes all below it
      std::erase_if(to, [&key = key](const auto& entry) {
        return entry.first == key || entry.first.starts_with(key + "/");
      });
    } else {
      to[key] = value.text();
    }
  }
}

void apply_commands(const kit::Node& node, WrittenMachine& machine) {
  for (const auto& [key, value] : node.entries) {
    if (value.is_null()) {
      machine.commands.erase(key);
      continue;
    }
    WrittenMachine::Command& command = machine.commands[key] = {};
    if (value.is_scalar()) {
      command.output = value.text();
      continue;
    }
    command.output = value["output"].text();
    command.errors = value["errors"].text();
    command.status = static_cast<int>(base::parse_int(value["status"].text()).value_or(0));
  }
}

std::string* text_named(WrittenMachine& machine, const std::string& name) {
  if (name == "nvml") return machine.nvml ? &*machine.nvml : nullptr;
  if (name == "kernel") return &machine.kernel;
  if (const auto file = machine.files.find(name); file != machine.files.end()) return &file->second;
  if (const auto command = machine.commands.find(name); command != machine.commands.end())
    return &command->second.output;
  return nullptr;
}

/// - {in: /proc/modules, from: "a", to: "b"}: a text that must be there. `all: true` replaces each
/// occurrence.
void apply_replacements(const kit::Node& node, WrittenMachine& machine, const std::string& name) {
  for (const kit::Node& item : node.items) {
    std::string* text = text_named(machine, item["in"].text());
    ASSERT_NE(text, nullptr) << name << ": nothing is called " << item["in"].text();
    const std::string& from = item["from"].text();
    const std::size_t at = text->find(from);
    ASSERT_NE(at, std::string::npos) << name << ": " << item["in"].text() << " does not hold " << from;
    if (item["all"].text() == "true") {
      *text = base::replace_all(*text, from, item["to"].text());
    } else {
      text->replace(at, from.size(), item["to"].text());
    }
  }
}

std::map<std::string, std::string> members_of(const WrittenMachine& machine) {
  std::map<std::string, std::string> members;
  for (const auto& [path, text] : machine.files) members[host::member_for_file(path)] = text;
  for (const auto& [words, command] : machine.commands) {
    std::vector<std::string> argv;
    for (const std::string_view word : base::words(words)) argv.emplace_back(word);
    const std::string folder = "commands/" + host::command_slug(argv) + "/";
    members[folder + "stdout"] = command.output;
    members[folder + "stderr"] = command.errors;
    members[folder + "status.json"] = "{\"status\": " + std::to_string(command.status) +
                                      ", \"signal\": 0, \"timed_out\": false, \"output_cut\": false}";
  }
  if (!machine.kernel.empty()) members["kernel/kmsg"] = machine.kernel;
  if (machine.nvml) members["gpu/nvml"] = *machine.nvml;
  if (machine.holders) members["gpu/holders"] = *machine.holders;
  return members;
}

/// "c 195:0 0666 0 0".
base::FileStatus status_of(const std::string& text) {
  base::FileStatus status;
  const auto parts = base::words(text);
  EXPECT_EQ(parts.size(), 5U) << text;
  if (parts.size() != 5) return status;
  status.kind = base::file_kind_of_name("character_device");
  const std::size_t colon = parts[1].find(':');
  status.device = base::DeviceNumber{(*base::parse_int(parts[1].substr(0, colon))),
                                     (*base::parse_int(parts[1].substr(colon + 1)))};
  status.mode = static_cast<std::uint32_t>(std::stoul(std::string(parts[2]), nullptr, 8));
  status.uid = *base::parse_int(parts[3]);
  status.gid = *base::parse_int(parts[4]);
  return status;
}

host::Manifest manifest_of(const WrittenMachine& machine) {
  host::Manifest manifest;
  manifest.links = machine.links;
  manifest.folders = machine.folders;
  // A folder is what its files, links and devices imply, where it is not written out.
  const auto imply = [&](const std::string& path) {
    std::string rest = path;
    for (std::size_t slash = rest.rfind('/'); slash != std::string::npos && slash > 0;
         slash = rest.rfind('/')) {
      const std::string name = rest.substr(slash + 1);
      rest = rest.substr(0, slash);
      if (machine.folders.count(rest) != 0) continue;
      auto& names = manifest.folders[rest];
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  };
  for (const auto& file : machine.files) imply(file.first);
  for (const auto& link : machine.links) imply(link.first);
  for (const auto& device : machine.devices) {
    imply(device.first);
    manifest.statuses[device.first] = status_of(device.second);
  }
  for (auto& folder : manifest.folders) std::sort(folder.second.begin(), folder.second.end());
  return manifest;
}

}  // namespace

void apply(const kit::Node& node, WrittenMachine& machine, const std::string& name) {
  apply_texts(node["files"], machine.files);
  apply_texts(node["links"], machine.links);
  apply_texts(node["devices"], machine.devices);
  apply_commands(node["commands"], machine);
  for (const auto& [path, names] : node["folders"].entries) {
    names.is_null() ? void(machine.folders.erase(path)) : void(machine.folders[path] = names.texts());
  }
  machine.kernel += node["kernel"].text();
  for (const auto& [key, value] : node.entries) {
    if (key == "holders") machine.holders = value.is_null() ? std::nullopt : std::optional(value.text());
    if (key != "nvml") continue;
    machine.nvml.reset();
    if (!value.is_null()) machine.nvml = read_file(source_dir() + "/tests/data/machines/" + value.text());
  }
  apply_replacements(node["replace"], machine, name);
}

WrittenMachine written_machine(const std::string& name) {
  WrittenMachine machine;
  const std::string path = source_dir() + "/tests/data/machines/" + name + ".yaml";
  const auto node = kit::parse_yaml(read_file(path), path);
  EXPECT_TRUE(node.ok()) << (node.ok() ? "" : node.error().text());
  if (!node) return machine;
  if (!(*node)["from"].text().empty()) machine = written_machine((*node)["from"].text());
  apply(*node, machine, name);
  return machine;
}

void write_fixture(const WrittenMachine& machine, const std::string& folder) {
  for (const auto& [member, text] : members_of(machine)) {
    const std::filesystem::path path = std::filesystem::path(folder) / member;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ofstream(std::filesystem::path(folder) / "manifest.json")
      << host::write_manifest(manifest_of(machine));
}

std::unique_ptr<host::Source> source_of(const WrittenMachine& machine) {
  std::map<std::string, host::Recorded::Open> members;
  for (auto& [member, text] : members_of(machine)) {
    members[member] = [text = text]() -> base::Result<std::unique_ptr<base::ByteStream>> {
      return std::unique_ptr<base::ByteStream>(std::make_unique<base::MemoryStream>(text));
    };
  }
  return std::make_unique<host::Recorded>(manifest_of(machine), std::move(members));
}

model::Diagnosis diagnose_machine(host::Source& source) {
  host::Inputs inputs = host::collect_evidence(source);
  parse::Recogniser recogniser(knowledge());
  for (host::Document& document : inputs.documents) {
    EXPECT_TRUE(recogniser.add(document.name, *document.content).ok()) << document.name;
  }
  const model::Machine machine = facts::collect_machine(source, knowledge());
  rules::Background background;
  background.machine = &machine;
  background.today_s = kToday;
  model::Diagnosis diagnosis = rules::diagnose(recogniser.finish(), knowledge(), background);
  for (std::string& line : inputs.could_not_look) diagnosis.could_not_look.push_back(std::move(line));
  return diagnosis;
}

}  // namespace gpuwright::tests
