// Reading a spec: faults with their places, bounds, and the way there and back.
// SPDX-License-Identifier: Apache-2.0
#include "parse/spec.h"

#include "base/text.h"
#include "base/units.h"
#include "catalog/spec_types.h"
#include "report/spec_words.h"
#include "report/spec_yaml.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include "support/spec.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SpecFaults, UnknownKeysNameTheOneThatWasMeant) {
  EXPECT_THAT(spec_faults("gpu:\n  ecc: true\n  persistance: true\n"),
              ElementsAre("3:3: unknown key 'persistance' in gpu; did you mean 'persistence'?"));
  EXPECT_THAT(spec_faults("Gpu: {ecc: true}\n"), ElementsAre("1:1: unknown key 'Gpu'; did you mean 'gpu'?"));
  EXPECT_THAT(spec_faults("gpu: {power-limit: 500 W}\n"),
              ElementsAre("1:7: unknown key 'power-limit' in gpu; did you mean 'power_limit'?"));
  // Right name, wrong place.
  EXPECT_THAT(spec_faults("power_limit: 500 W\n"),
              ElementsAre("1:1: unknown key 'power_limit'; did you mean 'gpu.power_limit'?"));
  EXPECT_THAT(spec_faults("colour_of_rack: blue\n"), ElementsAre("1:1: unknown key 'colour_of_rack'"));
}

TEST(SpecFaults, ValuesNameWhatIsAllowed) {
  EXPECT_THAT(spec_faults("workload:\n  class: trainng\n"),
              ElementsAre("2:10: workload.class: 'trainng' is none of training, inference, hpc, "
                          "shared-workstation; did you mean 'training'?"));
  EXPECT_THAT(spec_faults("gpu: {ecc: yes}"),
              ElementsAre("1:12: gpu.ecc: 'yes' is not true or false; did you mean 'true'?"));
  EXPECT_THAT(spec_faults("driver: {branch: R580}"),
              ElementsAre("1:18: driver.branch: 'R580' is not a whole number"));
  EXPECT_THAT(spec_faults("driver: {branch: 58}"),
              ElementsAre("1:18: driver.branch: 58 is outside 390 .. 9999"));
  EXPECT_THAT(spec_faults("monitoring: {listen: localhost}"),
              ElementsAre("1:22: monitoring.listen: 'localhost' is not an address with its port, like "
                          "127.0.0.1:9400"));
}

TEST(SpecFaults, QuantitiesWantTheirUnit) {
  EXPECT_THAT(spec_faults("gpu:\n  power_limit: 500\n"),
              ElementsAre("2:16: gpu.power_limit: '500' has no unit; write it like '500 W'"));
  EXPECT_THAT(spec_faults("gpu: {power_limit: 500 MHz}"),
              ElementsAre("1:20: gpu.power_limit: 'MHz' is no unit that fits; there are W, kW, MW"));
  EXPECT_THAT(
      spec_faults("machine: {min_memory: 512 gib}"),
      ElementsAre("1:23: machine.min_memory: 'gib' is no unit that fits; there are B, kB, MB, GB, TB, PB, "
                  "KiB, MiB, GiB, TiB, PiB; did you mean 'GiB'?"));
  EXPECT_THAT(spec_faults("gpu: {power_limit: much}"),
              ElementsAre("1:20: gpu.power_limit: 'much' is not a power"));
  EXPECT_THAT(spec_faults("gpu: {power_limit: 50 kW}"),
              ElementsAre("1:20: gpu.power_limit: 50 kW is outside 10 W .. 5 kW"));
  for (const char* not_finite : {"inf W", "nan W", "1e3 W", "0x10 W"})
    EXPECT_THAT(spec_faults(std::string("gpu: {power_limit: ") + not_finite + "}"), SizeIs(1)) << not_finite;
}

TEST(SpecFaults, ShapesAreTold) {
  EXPECT_THAT(
      spec_faults("gpu:\n  inventory:\n    model: H100\n"),
      ElementsAre("3:5: gpu.inventory wants a list, each item beginning with '-', not keys with values"));
  EXPECT_THAT(spec_faults("gpu: 8\n"), ElementsAre("1:6: gpu wants keys with values, not a single value"));
  EXPECT_THAT(spec_faults("cuda: {toolkits: 13.0}\n"),
              ElementsAre("1:18: cuda.toolkits wants a list, not a single value, like [\"12.8\", \"13.0\"]"));
  EXPECT_THAT(spec_faults("driver: {branch: [580]}\n"),
              ElementsAre("1:18: driver.branch wants a single value, not a list, like 580"));
  EXPECT_THAT(spec_faults("driver:\n  hold:\n"), ElementsAre("2:3: driver.hold has no value, like true"));
  EXPECT_THAT(spec_faults("gpu: {inventory: [{count: 8}]}\n"),
              ElementsAre("1:19: gpu.inventory[0].model is missing, like NVIDIA H100 80GB HBM3"));
}

TEST(SpecFaults, NothingStandsTwice) {
  EXPECT_THAT(spec_faults("driver:\n  branch: 580\n  branch: 590\n"),
              ElementsAre("3:3: driver.branch stands twice, first on line 2"));
  EXPECT_THAT(spec_faults("os:\n  sysctl:\n    vm.swappiness: 10\n    vm.swappiness: 20\n"),
              ElementsAre("4:5: os.sysctl.vm.swappiness stands twice, first on line 3"));
  EXPECT_THAT(spec_faults("firmware:\n  - component: BIOS\n  - component: BIOS\n"),
              ElementsAre("3:16: firmware[1].component stands twice, first on line 2"));
}

TEST(SpecFaults, KeysMustAgree) {
  EXPECT_THAT(
      spec_faults("driver: {branch: 580, version: 535.104.05}\n"),
      ElementsAre("1:32: driver.version: version 535.104.05 is not of the branch that driver.branch names"));
  EXPECT_THAT(spec_faults("gpu: {graphics_clock: {min: 1980 MHz, max: 1.2 GHz}}\n"),
              ElementsAre("1:29: gpu.graphics_clock.min: is above the upper end, 1.2 GHz"));
  EXPECT_THAT(
      spec_faults("gpu: {mig: {layouts: [{gpus: [0, 1], profiles: {}}, {gpus: [1], profiles: {}}]}}\n"),
      ElementsAre("1:60: gpu.mig.layouts[1].gpus: GPU 1 stands in two layouts"));
  EXPECT_THAT(
      spec_faults("storage:\n  arrays: [{name: a, level: raid0, purpose: data, devices: [/dev/md0]}]\n"),
      ElementsAre(HasSubstr("2:45: storage.arrays[0].purpose: raid0 loses all with one drive")));
  EXPECT_THAT(
      spec_faults("passthrough: {gpus: [6], guests: [{name: a, gpus: [7], vcpus: 1, memory: 1 GiB}]}"),
      ElementsAre("1:51: passthrough.guests[0].gpus: GPU 7 is not among passthrough.gpus"));
}

TEST(SpecFaults, SeveralAreToldInTheOrderOfTheFile) {
  EXPECT_THAT(spec_faults("zeal: 1\ngpu:\n  ecc: maybe\nwrkload: {}\n"),
              ElementsAre(HasSubstr("1:1: unknown key 'zeal'"), HasSubstr("3:8: gpu.ecc"),
                          HasSubstr("4:1: unknown key 'wrkload'")));
}

TEST(SpecFaults, WholesThatAreNoSpec) {
  EXPECT_THAT(spec_faults(""), ElementsAre(HasSubstr("1:1: a spec is keys with values")));
  EXPECT_THAT(spec_faults("- a\n"), ElementsAre(HasSubstr("1:1: a spec is keys with values")));
  EXPECT_THAT(spec_faults("name: a\n---\nname: b\n"),
              ElementsAre(HasSubstr("a second document begins here")));
  EXPECT_THAT(spec_faults("name: [\n"), ElementsAre(HasSubstr("cannot be read")));
  EXPECT_THAT(spec_faults("name: a\n  class: b: c\n"), ElementsAre(HasSubstr("2:8: cannot be read")));
}

TEST(SpecFaults, EachHasWordsInBothLanguages) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(model::SpecFault::Contradiction); ++i) {
    model::SpecProblem problem;
    problem.fault = static_cast<model::SpecFault>(i);
    problem.path = "gpu.ecc";
    problem.found = "found";
    problem.wanted = "bool";
    const std::string english = report::spec_problem_text(problem, catalog::Language::English);
    const std::string chinese = report::spec_problem_text(problem, catalog::Language::Chinese);
    EXPECT_FALSE(english.empty() || chinese.empty()) << i;
    EXPECT_TRUE(english == base::printable(english)) << i;
    EXPECT_TRUE(english != chinese || problem.fault == model::SpecFault::Contradiction) << i;
    EXPECT_TRUE(names.insert(report::spec_fault_name(problem.fault)).second) << i;
  }
  // A check without words would show its id.
  for (const char* text :
       {"driver: {branch: 580, version: '1'}", "gpu: {graphics_clock: {min: 2 Hz, max: 1 Hz}}"}) {
    for (const std::string& line : spec_faults(text, true))
      EXPECT_THAT(line, Not(HasSubstr("version 1"))) << line;
  }
}

TEST(SpecFaults, ColumnsCountCharacters) {
  EXPECT_THAT(spec_faults("{name: \"日本\", zzz: 1}"), ElementsAre("1:14: unknown key 'zzz'"));
  EXPECT_THAT(spec_faults("name: a\r\ngpu: {zzz: 1}\r\n"), ElementsAre("2:7: unknown key 'zzz' in gpu"));
}

TEST(SpecBounds, FaultsAreCountedBeyondFifty) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "unknown_key_" + std::to_string(i) + ": 1\n";
  const parse::SpecReading reading = read_spec(text);
  EXPECT_THAT(reading.problems, SizeIs(50));
  EXPECT_EQ(reading.more_problems, 1950);
  EXPECT_EQ(reading.problems.back().line, 50);
}

TEST(SpecBounds, HostileTextIsRefused) {
  EXPECT_THAT(spec_faults("a: &x [1]\nb: [*x, *x]\n"), ElementsAre(HasSubstr("aliases are not accepted")));
  EXPECT_THAT(spec_faults(std::string(3000, '[')), ElementsAre(HasSubstr("nested too deeply")));
  EXPECT_THAT(spec_faults(std::string(parse::kLargestSpec + 1, ' ')),
              ElementsAre(HasSubstr("larger than 256 KiB")));
  std::string many = "cuda: {toolkits: [";
  for (int i = 0; i < 2000; ++i) many += "1,";
  EXPECT_THAT(spec_faults(many + "]}"), ElementsAre("1:18: cuda.toolkits has more than 1024 items"));
  EXPECT_THAT(spec_faults("name: \"a\\nb\"\n"), ElementsAre("1:7: name: 'a?b' is not a line of text"));
  EXPECT_THAT(spec_faults("name: " + std::string(2000, 'x')),
              ElementsAre("1:7: name is longer than 1024 bytes"));
  EXPECT_THAT(spec_faults("\"\\e[31m\": 1\n"), ElementsAre("1:1: unknown key '?[31m'"));
  EXPECT_THAT(spec_faults("storage: {mounts: [{mount_point: \"/a b\"}]}"), SizeIs(1));
  EXPECT_THAT(spec_faults("os: {sysctl: {\"a; reboot\": 1}}"), SizeIs(1));
}

TEST(Spec, ValuesAreReadInTheirBaseUnit) {
  const model::Spec spec = read_spec(
                               "gpu: {power_limit: 0.5 kW, ecc: true, graphics_clock: {min: 1980 MHz}}\n"
                               "machine: {min_memory: 2 TiB, min_memory_ratio: 1.5}\n"
                               "network: {ports: [{name: mlx5_0, min_rate: 400 Gb/s}]}\n"
                               "monitoring: {period: 250 ms}\n"
                               "driver: {branch: 580, module_parameters: {nvidia.b: 2, nvidia.a: 1}}\n")
                               .spec;
  EXPECT_EQ(spec.quantity<base::Watts>("gpu.power_limit"), base::Watts(500));
  EXPECT_EQ(spec.quantity<base::Hertz>("gpu.graphics_clock.min"), base::Hertz(1.98e9));
  EXPECT_EQ(spec.quantity<base::Bytes>("machine.min_memory"), base::Bytes(2199023255552));
  EXPECT_EQ(spec.number("machine.min_memory_ratio"), 1.5);
  EXPECT_EQ(spec.number("network.ports[0].min_rate"), 4e11);
  EXPECT_EQ(spec.number("monitoring.period"), 0.25);
  EXPECT_EQ(spec.integer("driver.branch"), 580);
  EXPECT_EQ(spec.flag("gpu.ecc"), true);
  EXPECT_EQ(spec.map("driver.module_parameters"), (model::SpecMap{{"nvidia.a", "1"}, {"nvidia.b", "2"}}));
  EXPECT_EQ(spec.count("network.ports"), 1);
  EXPECT_EQ(spec.find("network.ports[0].min_rate")->line, 3);
  EXPECT_EQ(spec.flag("gpu.persistence"), std::nullopt);
  EXPECT_EQ(spec.integer("gpu.ecc"), std::nullopt);
}

TEST(Spec, EveryExampleIsRight) {
  for (const std::string& name : example_names())
    EXPECT_THAT(spec_faults(read_file(source_dir() + "/" + name)), IsEmpty()) << name;
}

/// Some of what the example of all keys says; a list of maps comes with all its items or not at all.
std::string random_spec() {
  static const model::Spec kWhole = read_spec(read_file(source_dir() + "/docs/examples/gpuwright.yaml")).spec;
  const auto dice = *rc::gen::container<std::vector<bool>>(kWhole.entries.size(), rc::gen::arbitrary<bool>());
  std::set<std::string> left_out;
  model::Spec spec;
  for (std::size_t i = 0; i < kWhole.entries.size(); ++i) {
    const model::SpecEntry& entry = kWhole.entries[i];
    const std::string list = entry.path.substr(0, entry.path.find('['));
    const bool in_list = list != entry.path;
    const bool wanted = dice[i] || knowledge().spec_keys().find(entry.key)->required;
    if (!in_list && !wanted) left_out.insert(entry.path);
    if (in_list ? left_out.count(list) == 0 : wanted) spec.entries.push_back(entry);
  }
  return report::spec_yaml(spec, knowledge(), {});
}

RC_GTEST_PROP(SpecProperty, WhatIsWrittenReadsBackTheSame, ()) {
  const std::string text = random_spec();
  const parse::SpecReading once = read_spec(text);
  RC_ASSERT(once.ok());
  const std::string again = report::spec_yaml(once.spec, knowledge(), {});
  RC_ASSERT(spec_values(read_spec(again).spec) == spec_values(once.spec));
  RC_ASSERT(report::spec_yaml(read_spec(again).spec, knowledge(), {}) == again);
}

RC_GTEST_PROP(SpecProperty, AnyTextIsAValueOrAFaultAndNeverChanges, (std::string name)) {
  model::Spec spec;
  model::SpecEntry entry;
  entry.path = entry.key = "name";
  entry.value = name;
  entry.written = name;
  spec.entries.push_back(entry);
  const parse::SpecReading reading = read_spec(report::spec_yaml(spec, knowledge(), {}));
  if (reading.ok()) RC_ASSERT(reading.spec.text("name") == name);
}

RC_GTEST_PROP(SpecProperty, AKeyWithALetterTooManyIsRefusedWhereItStands, ()) {
  const std::string text = read_file(source_dir() + "/docs/examples/training.yaml");
  std::vector<std::size_t> colons;
  for (std::size_t at = text.find(":"); at != std::string::npos; at = text.find(":", at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    if (text.substr(begin, at - begin).find('#') == std::string::npos &&
        (text[at + 1] == ' ' || text[at + 1] == '\n'))
      colons.push_back(at);
  }
  const std::size_t at = colons[*rc::gen::inRange<std::size_t>(0, colons.size())];
  const parse::SpecReading reading = read_spec(text.substr(0, at) + "q" + text.substr(at));
  RC_ASSERT(!reading.ok());
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  RC_ASSERT(std::any_of(reading.problems.begin(), reading.problems.end(), [&](const model::SpecProblem& one) {
    return one.line == line && one.fault == model::SpecFault::UnknownKey;
  }));
}

}  // namespace
}  // namespace gpuwright::tests
