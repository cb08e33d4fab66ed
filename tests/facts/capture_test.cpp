// A captured machine, redacted, is the same machine to every fact and check, and names nobody.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "facts/collector.h"
#include "host/evidence.h"
#include "host/inputs.h"
#include "host/recording.h"
#include "kit/compress.h"
#include "model/fact_tree.h"

#include "support/diagnose.h"
#include "support/machine.h"
#include "support/run.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

WrittenMachine named_machine() {
  WrittenMachine machine = written_machine("h100");
  machine.files["/etc/slurm/slurm.conf"] =
      "ClusterName=c\nSlurmctldHost=gpu-head\nNodeName=gpu-a01 Gres=gpu:h100:8\n";
  machine.files["/etc/passwd"] = "root:x:0:0::/root:/bin/sh\njdoe42:x:1000:1000::/home/jdoe42:/bin/sh\n";
  machine.commands["scontrol show node {host} --oneliner"].output =
      "NodeName=gpu-a01 State=IDLE Gres=gpu:h100:8 Reason=checked by jdoe42 [root@2026-11-30T10:00:00]\n";
  machine.commands["scontrol --version"].output = "slurm 24.05.4\n";
  machine.holders = "4711\tpython3\t/user.slice/user-1000.slice/jdoe42-job.scope\t/dev/nvidia0\n";
  return machine;
}

class CapturedMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    source_ = source_of(named_machine());
    auto spool = host::Spool::create();
    ASSERT_TRUE(spool.ok());
    host::Recording recording(*source_, *spool);
    host::collect_evidence(recording);
    facts::collect_machine(recording, knowledge());
    host::Redactor redactor("a key of this test", host::known_names(*source_));
    host::BundleOptions options;
    options.tool = "gpuwright test";
    options.source = "live";
    options.redactor = &redactor;
    path_ = folder_.path() + "/bundle.tar.gz";
    const base::Fd fd(::open(path_.c_str(), O_CREAT | O_WRONLY, 0600));
    ASSERT_TRUE(host::write_bundle(recording, fd.get(), options).ok());
  }

  std::string unpacked() const {
    auto file = base::read_file(path_, std::size_t{64} << 20);
    EXPECT_TRUE(file.ok());
    auto plain = kit::decompressed(std::make_unique<base::MemoryStream>(*file));
    EXPECT_TRUE(plain.ok());
    return base::read_all(**plain, std::size_t{64} << 20).value_or("");
  }

  TempFolder folder_;
  std::unique_ptr<host::Source> source_;
  std::string path_;
};

TEST_F(CapturedMachine, NamesNobody) {
  const std::string all = unpacked();
  for (const char* name :
       {"gpu-a01", "jdoe42", "1650000000000", "fa4e0000-2330-4000-8000-000000000000", "gpu-head"})
    EXPECT_THAT(all.find(name), std::string::npos) << name << ": " << all.substr(all.find(name) - 200, 400);
}

TEST_F(CapturedMachine, HasTheSameFacts) {
  auto inputs = host::open_inputs({path_});
  ASSERT_TRUE(inputs.ok()) << inputs.error().text();
  ASSERT_EQ(inputs->machines.size(), 1U);
  std::map<std::string, model::Fact> before;
  for (model::Fact& fact : model::flatten(facts::collect_machine(*source_, knowledge())))
    before[fact.path] = fact;
  std::size_t compared = 0, different = 0;
  for (const model::Fact& fact :
       model::flatten(facts::collect_machine(*inputs->machines.front(), knowledge()))) {
    const auto old = before.find(fact.path);
    if (old == before.end()) continue;  // lists by a redacted name
    ++compared;
    EXPECT_EQ(fact.known, old->second.known)
        << fact.path << ": " << fact.place.input << ": " << fact.place.text;
    different += fact.value != old->second.value ? 1 : 0;
  }
  EXPECT_GT(compared, 1000U);
  EXPECT_LT(different, compared / 20);  // names, serial numbers, identities
}

TEST_F(CapturedMachine, HasTheSameVerdicts) {
  auto inputs = host::open_inputs({path_});
  ASSERT_TRUE(inputs.ok());
  const auto outcomes = [](const model::Diagnosis& diagnosis) {
    std::map<std::string, model::Outcome> list;
    for (const model::Verdict& verdict : diagnosis.checks) list[verdict.check] = verdict.outcome;
    return list;
  };
  const model::Diagnosis before = diagnose_machine(*source_);
  const model::Diagnosis after = diagnose_machine(*inputs->machines.front());
  EXPECT_EQ(outcomes(before), outcomes(after));
  EXPECT_EQ(summary(before), summary(after));
}

}  // namespace
}  // namespace gpuwright::tests
