// `gpuwright doctor --since` between two bundles, and `--compare` of machines: the guilty change first, the
// odd one out.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "facts/collector.h"
#include "kit/json.h"
#include "kit/yaml.h"
#include "model/fact_tree.h"
#include "report/facts_json.h"

#include "support/bundle.h"
#include "support/diagnose.h"
#include "support/json_schema.h"
#include "support/machine.h"
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

kit::Node read_pairs() {
  const std::string path = source_dir() + "/tests/data/since/pairs.yaml";
  const auto pairs = kit::parse_yaml(read_file(path), path);
  EXPECT_TRUE(pairs.ok()) << pairs.error().text();
  return pairs ? *pairs : kit::Node();
}

/// Sets "key: value" in the answers of one GPU, or of all ("*").
void apply_gpus(const kit::Node& node, WrittenMachine& machine, const std::string& name) {
  std::string gpu, result;
  std::size_t changed = 0;
  for (const std::string_view line : base::lines(*machine.nvml)) {
    if (line.starts_with("GPU ")) gpu = line.substr(4);
    std::string text(line);
    for (const auto& [which, values] : node.entries) {
      for (const auto& [key, value] : values.entries) {
        if (gpu.empty() || (which != "*" && which != gpu) || !text.starts_with(key + ": ")) continue;
        text = key + ": " + value.text() + text.substr(text.find("  ["));
        ++changed;
      }
    }
    result += text + "\n";
  }
  EXPECT_TRUE(node.is_null() || changed > 0) << name;
  machine.nvml = result;
}

void change(const kit::Node& node, WrittenMachine& machine, const std::string& name) {
  kit::Node usual = node;
  std::erase_if(usual.entries, [](const auto& entry) {
    return entry.first == "gpus" || entry.first == "kernel" || entry.first == "error";
  });
  apply(usual, machine, name);
  apply_gpus(node["gpus"], machine, name);
  machine.kernel += node["kernel"].text();
}

class Since : public ::testing::Test {
 protected:
  /// The JSON of doctor on `now` since `before`.
  kit::Node doctor(const std::vector<std::string>& arguments) {
    std::vector<std::string> argv = {program(), "doctor", "--json"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Ran ran = run(argv);
    const std::string schema = read_file(source_dir() + "/docs/schema/doctor.schema.json");
    EXPECT_THAT(schema_breaches(ran.out, schema), IsEmpty()) << ran.err;
    const auto json = kit::parse_json(ran.out, "doctor");
    return json ? *json : kit::Node();
  }

  TempFolder folder_;
};

TEST_F(Since, TheGuiltyChangeOfEachPairRanksFirst) {
  const kit::Node data = read_pairs();
  ASSERT_GE(data["pairs"].items.size(), 10U);
  for (const kit::Node& pair : data["pairs"].items) {
    const std::string& id = pair["id"].text();
    WrittenMachine before = written_machine("h100");
    WrittenMachine now = written_machine("h100");
    change(pair["before"], before, id);
    ASSERT_EQ(pair["harmless"].items.size(), 20U) << id;
    for (const std::string& name : pair["harmless"].texts()) {
      ASSERT_FALSE(data["harmless"][name].is_null()) << name;
      change(data["harmless"][name], now, id + ", " + name);
    }
    change(pair["guilty"], now, id);
    change(pair["symptom"], now, id);
    const std::string old_bundle = folder_.path() + "/" + id + "-before.tar.gz";
    const std::string new_bundle = folder_.path() + "/" + id + "-now.tar.gz";
    write_bundle_of(before, {}, old_bundle);
    write_bundle_of(now, {pair["symptom"]["error"].text()}, new_bundle);
    const kit::Node json = doctor({"--since", old_bundle, new_bundle});
    const kit::Node& changes = json["changes"]["changes"];
    EXPECT_EQ(json["changes"]["symptom"].text(), pair["cause"].text()) << id;
    ASSERT_FALSE(changes.items.empty()) << id;
    EXPECT_EQ(changes.items[0]["fact"].text(), pair["first"].text()) << id;
    EXPECT_GE(changes.items.size(), 10U) << id << ": too few of the harmless changes are seen";
    if (changes.items.size() < 2) continue;
    EXPECT_GT(*base::parse_int(changes.items[0]["guilt"].text()),
              *base::parse_int(changes.items[1]["guilt"].text()))
        << id << ": no better than " << changes.items[1]["fact"].text();
  }
}

TEST_F(Since, OfTheSameMachineIsNothing) {
  const std::string machine = folder_.path() + "/machine";
  write_fixture(written_machine("h100"), machine);
  const kit::Node json = doctor({"--since", machine, machine});
  EXPECT_THAT(json["changes"]["changes"].items, IsEmpty());
  const Ran text = run({program(), "doctor", "--since", machine, machine});
  EXPECT_THAT(text.out, HasSubstr("nothing was seen to have changed since"));
}

TEST_F(Since, IsToldInBothLanguages) {
  WrittenMachine now = written_machine("h100");
  now.files["/sys/class/dmi/id/bios_version"] = "2.6\n";
  write_fixture(written_machine("h100"), folder_.path() + "/before");
  write_fixture(now, folder_.path() + "/now");
  for (const char* language : {"en", "zh"}) {
    const Ran ran = run({program(), "doctor", "--lang", language, "--since", folder_.path() + "/before",
                         folder_.path() + "/now"});
    EXPECT_THAT(ran.out, HasSubstr(std::string(language) == "zh" ? "最可疑的在前" : "guiltiest first"));
    EXPECT_THAT(ran.out, HasSubstr("2.4 -> 2.6"));
  }
}

TEST_F(Since, RefusesWhatIsNoMachine) {
  const std::string log = folder_.write("kern.log", "nothing\n");
  const std::string machine = folder_.path() + "/machine";
  write_fixture(written_machine("h100"), machine);
  const Ran no_old = run({program(), "doctor", "--since", log, machine});
  EXPECT_EQ(no_old.exit_code, 2);
  EXPECT_THAT(no_old.err, HasSubstr("holds 0 machines"));
  const Ran no_new = run({program(), "doctor", "--since", machine, log});
  EXPECT_EQ(no_new.exit_code, 2);
  EXPECT_THAT(no_new.err, HasSubstr("--since compares one machine"));
}

/// Five machines, of which the fourth has another driver and one GPU less.
class Compare : public Since {
 protected:
  void SetUp() override {
    for (int n = 1; n <= 5; ++n) {
      WrittenMachine machine = written_machine("h100");
      const std::string name = "n" + std::to_string(n);
      machine.files["/proc/sys/kernel/hostname"] = name + "\n";
      machine.files["/proc/uptime"] = std::to_string(n * 1000) + ".00 5.00\n";
      if (n == 4) {
        machine.files["/proc/driver/nvidia/version"] =
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n";
        machine.files["/sys/module/nvidia/version"] = "580.65.06\n";
      }
      if (n == 2) {
        write_bundle_of(machine, {}, folder_.path() + "/n2");
      } else if (n == 3) {
        const auto source = source_of(machine);
        folder_.write(
            "n3", report::render_facts_json(model::fact_tree(facts::collect_machine(*source, knowledge()))));
      } else {
        write_fixture(machine, folder_.path() + "/" + name);
      }
    }
  }

  Ran compare(const std::vector<std::string>& names, const std::vector<std::string>& options = {}) {
    std::vector<std::string> argv = {program(), "doctor", "--compare"};
    argv.insert(argv.end(), options.begin(), options.end());
    for (const std::string& name : names) argv.push_back(folder_.path() + "/" + name);
    return run(argv);
  }
};

TEST_F(Compare, NamesTheOddMachineAmongBundlesFixturesAndFacts) {
  const Ran ran = compare({"n1", "n2", "n3", "n4", "n5"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("n4 differs from 4 peers: driver 580.65.06 (others 580.95.05)"));
  EXPECT_THAT(ran.out, Not(HasSubstr("n3 differs")));
  EXPECT_THAT(ran.out, Not(HasSubstr("n2 differs")));
  const Ran other_order = compare({"n5", "n4", "n3", "n2", "n1"});
  EXPECT_EQ(other_order.out, ran.out);
}

TEST_F(Compare, OfEqualMachinesIsFine) {
  const Ran ran = compare({"n1", "n2", "n3", "n5"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("none differs from its peers"));
}

TEST_F(Compare, OfTwoTellsWhatTheSecondHas) {
  const Ran ran = compare({"n1", "n4"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("n4 differs from " + folder_.path() + "/n1: driver 580.65.06"));
}

TEST_F(Compare, OfOneMachineComparesItsGpus) {
  WrittenMachine machine = written_machine("h100");
  machine.files["/sys/bus/pci/devices/0000:9d:00.0/current_link_width"] = "8\n";
  write_fixture(machine, folder_.path() + "/narrow");
  const Ran ran = compare({"narrow"}, {"--json"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(schema_breaches(ran.out, read_file(source_dir() + "/docs/schema/compare.schema.json")),
              IsEmpty());
  EXPECT_THAT(ran.out, HasSubstr("GPU 0000:9d:00.0 differs from 7 peers: PCIe width 8 (others 16)"));
}

TEST_F(Compare, RefusesWhatIsNoMachine) {
  const std::string log = folder_.write("kern.log", "nothing\n");
  EXPECT_EQ(compare({"n1", "kern.log"}).exit_code, 2);
  EXPECT_EQ(compare({"none"}).exit_code, 2);
  folder_.write("half", R"({"schema_version": 1, "facts": {)");
  const Ran half = compare({"n1", "half"});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_THAT(half.err, HasSubstr("half"));
}

}  // namespace
}  // namespace gpuwright::tests
