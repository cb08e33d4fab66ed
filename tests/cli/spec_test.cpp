// `gpuwright spec` as a person or a script meets it.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "kit/json.h"

#include "support/json_schema.h"
#include "support/paths.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Ran spec(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), {program(), "spec"});
  return run(arguments, input);
}

std::string schema(const std::string& name) {
  return read_file(source_dir() + "/docs/schema/" + name + ".schema.json");
}

TEST(SpecCommand, ChecksAndTellsEveryFault) {
  const TempFolder folder;
  const std::string good = folder.write("good.yaml", "gpu: {ecc: true}\n");
  const std::string bad = folder.write("bad.yaml", "gpu:\n  persistance: true\n  power_limit: 500\n");
  const Ran right = spec({"check", good});
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_THAT(right.out, HasSubstr("a valid spec"));
  EXPECT_EQ(spec({"check", "--quiet", good}).out, "");
  const Ran wrong = spec({"check", bad});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err, bad + ":2:3: unknown key 'persistance' in gpu; did you mean 'persistence'?\n" + bad +
                           ":3:16: gpu.power_limit: '500' has no unit; write it like '500 W'\n");
  EXPECT_THAT(spec({"check", "--lang", "zh", bad}).err, HasSubstr("未知的键"));
  EXPECT_EQ(spec({"check", good, bad}).exit_code, 2);
  EXPECT_EQ(spec({"check", "-"}, "name: x\n").exit_code, 0);
  EXPECT_EQ(spec({"check", folder.path() + "/none.yaml"}).exit_code, 2);
}

TEST(SpecCommand, JsonFollowsItsSchema) {
  const TempFolder folder;
  const std::string bad = folder.write("bad.yaml", "gpu:\n  persistance: true\n");
  const Ran checked = spec({"check", "--json", bad});
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_THAT(schema_breaches(checked.out, schema("spec-check")), IsEmpty());
  const Ran good = spec({"check", "--json", "-"}, "name: x\n");
  EXPECT_THAT(schema_breaches(good.out, schema("spec-check")), IsEmpty());
  EXPECT_THAT(schema_breaches(spec({"keys", "--json"}).out, schema("spec-keys")), IsEmpty());
  const std::string one = folder.write("one.yaml", "name: one\n");
  const std::string two = folder.write("two.yaml", "gpu: {ecc: true}\n");
  const Ran different = spec({"diff", "--json", one, two});
  EXPECT_EQ(different.exit_code, 1);
  EXPECT_THAT(schema_breaches(different.out, schema("spec-diff")), IsEmpty());
}

TEST(SpecCommand, DiffExitsLikeDiff) {
  const TempFolder folder;
  const std::string one = folder.write("one.yaml", "gpu: {power_limit: 0.5 kW}\n");
  const std::string same = folder.write("same.yaml", "gpu: {power_limit: 500 W}\n");
  const std::string other = folder.write("other.yaml", "gpu: {power_limit: 400 W}\n");
  const std::string bad = folder.write("bad.yaml", "gpu: {power_limit: 400}\nx: 1\n");
  EXPECT_EQ(spec({"diff", one, same}).exit_code, 0);
  const Ran differs = spec({"diff", one, other});
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_EQ(differs.out, "~ gpu.power_limit: 500 W -> 400 W\n");
  const Ran broken = spec({"diff", one, bad});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr("bad.yaml:1:20: "));
  EXPECT_THAT(broken.err, HasSubstr("2 faults"));
  EXPECT_EQ(spec({"diff", one}).exit_code, 2);
  const Ran pipes = run({"bash", "-c", program() + " spec diff <(echo name: a) <(echo name: b)"});
  EXPECT_EQ(pipes.out, "~ name: a -> b\n") << pipes.err;
}

TEST(SpecCommand, InitWritesWhatCheckAccepts) {
  const TempFolder folder;
  for (const char* one : {"training", "inference", "hpc", "shared-workstation"}) {
    const std::string path = folder.path() + "/" + one + ".yaml";
    EXPECT_EQ(spec({"init", "--class", one, "-o", path}).exit_code, 0) << one;
    EXPECT_EQ(spec({"check", path}).exit_code, 0) << one;
  }
  const Ran again = spec({"init", "--class", "hpc", "-o", folder.path() + "/hpc.yaml"});
  EXPECT_EQ(again.exit_code, 4);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
  const Ran all = spec({"init", "--all", "--lang", "zh"});
  EXPECT_EQ(spec({"check", "-"}, all.out).exit_code, 0);
  EXPECT_THAT(all.out, HasSubstr("功率上限"));
  const Ran unknown = spec({"init", "--class", "gaming"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there are training, inference"));
}

TEST(SpecCommand, KeysAreListedAndExplained) {
  EXPECT_THAT(spec({"keys", "gpu.mig"}).out, HasSubstr("gpu.mig.layouts[].profiles"));
  EXPECT_EQ(spec({"keys", "gpu.colour"}).exit_code, 2);
  EXPECT_EQ(spec({"schema"}).out, schema("spec"));
  const Ran explained = run({program(), "explain", "gpu.power_limit"});
  EXPECT_EQ(explained.exit_code, 0);
  EXPECT_THAT(explained.out, HasSubstr("10 W .. 5 kW"));
  EXPECT_EQ(run({program(), "explain", "--json", "gpu.power_limit"}).exit_code, 0);
}

/// A live machine whose GPUs are simulated.
class SpecOfThisMachine : public ::testing::Test {
 protected:
  Ran gpuwright(std::vector<std::string> arguments, const std::string& scenario) {
    arguments.insert(arguments.begin(),
                     {"env", "GPUWRIGHT_NVML=" + fakegpu_folder() + "/libnvidia-ml.so.1",
                      "GPUWRIGHT_FAKEGPU=" + folder_.write("scenario", scenario), program()});
    return run(arguments);
  }
  /// A number under "spec" in the answer of doctor -f.
  std::string count(const Ran& ran, const std::string& name) {
    const auto json = kit::parse_json(ran.out, "doctor");
    return json.ok() ? (*json)["spec"][name].text() : ran.out + ran.err;
  }

  TempFolder folder_;
};

TEST_F(SpecOfThisMachine, IsMetByIt) {
  for (const char* scenario :
       {"boards 8 h100-sxm\n", "boards 2 t4\n", "boards 4 rtx-4090\n", "boards 8 b200\n"}) {
    const TempFolder here;
    const std::string path = here.path() + "/gpuwright.yaml";
    const Ran made =
        gpuwright({"spec", "init", "--from-machine", "--class", "training", "-o", path}, scenario);
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(read_file(path), HasSubstr("The GPUs are simulated"));
    EXPECT_EQ(spec({"check", path}).exit_code, 0) << read_file(path);
    const Ran looked = gpuwright({"doctor", "--json", "-f", path}, scenario);
    EXPECT_EQ(count(looked, "differ"), "0") << scenario << looked.out;
    EXPECT_EQ(count(looked, "unknown"), "0") << scenario << looked.out;
    EXPECT_NE(count(looked, "met"), "0") << scenario;
    EXPECT_THAT(schema_breaches(looked.out, schema("doctor")), IsEmpty());
  }
}

TEST_F(SpecOfThisMachine, AnotherIsToldFromItValueByValue) {
  const std::string path = folder_.write(
      "gpuwright.yaml", "gpu:\n  power_limit: 500 W\n  ecc: true\n  inventory: [{model: H100, count: 9}]\n");
  const Ran text = gpuwright({"doctor", "-f", path}, "boards 8 h100-sxm\n");
  EXPECT_EQ(text.exit_code, 1) << text.err;
  EXPECT_THAT(text.out, HasSubstr("differs from your spec: gpu.power_limit"));
  EXPECT_THAT(text.out, HasSubstr("gpuwright.yaml:2: gpu.power_limit: 500 W"));
  EXPECT_THAT(text.out, HasSubstr("asks for gpu.inventory[H100].count: 9. The machine has 8."));
  const Ran chinese = gpuwright({"doctor", "--lang", "zh", "-f", path}, "boards 8 h100-sxm\n");
  EXPECT_THAT(chinese.out, HasSubstr("与 spec 不符"));
}

TEST_F(SpecOfThisMachine, WhatCannotBeSeenIsSaidAndExitsThree) {
  const std::string path = folder_.write("gpuwright.yaml", "gpu: {accounting: true}\n");
  const Ran ran = gpuwright({"doctor", "--fail-on", "critical", "-f", path}, "boards 1 t4\n");
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("spec: gpu.accounting (true wanted): not supported"));
}

TEST_F(SpecOfThisMachine, NeedsAMachineAndARightSpec) {
  const std::string good = folder_.write("good.yaml", "gpu: {ecc: true}\n");
  const std::string bad = folder_.write("bad.yaml", "gpu: {eccc: true}\n");
  const std::string log = folder_.write("kern.log", "nothing\n");
  const Ran wrong = gpuwright({"doctor", "-f", bad}, "boards 1 t4\n");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("bad.yaml:1:7: unknown key 'eccc'"));
  const Ran nothing = gpuwright({"doctor", "-f", good, log}, "boards 1 t4\n");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("is compared with one machine"));
}

TEST(SpecCommand, SaysWhatItIsWithoutArguments) {
  const Ran bare = spec({});
  EXPECT_EQ(bare.exit_code, 0);
  EXPECT_THAT(bare.out, HasSubstr("spec check"));
  EXPECT_EQ(spec({"frobnicate"}).exit_code, 2);
}

}  // namespace
}  // namespace gpuwright::tests
