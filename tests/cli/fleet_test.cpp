// `gpuwright fleet` against real ssh servers on loopback, and against a program in ssh's place that fails in
// every way.
// SPDX-License-Identifier: Apache-2.0
#include "kit/json.h"

#include "support/json_schema.h"
#include "support/paths.h"
#include "support/run.h"
#include "support/sshd.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Ran fleet(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {program(), "fleet"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv);
}

/// The JSON, which must keep to its schema.
kit::Node parsed(const Ran& ran) {
  EXPECT_THAT(schema_breaches(ran.out, read_file(source_dir() + "/docs/schema/fleet.schema.json")), IsEmpty())
      << ran.out << ran.err;
  const auto json = kit::parse_json(ran.out, "fleet");
  return json ? *json : kit::Node();
}

/// "unknown timed_out", "critical gpu-lost-from-bus" or "fine" of each node.
std::map<std::string, std::string> verdicts(const kit::Node& json) {
  std::map<std::string, std::string> result;
  for (const kit::Node& node : json["nodes"].items) {
    std::string text = node["verdict"].text();
    if (!node["no_answer"].is_null()) text += " " + node["no_answer"]["kind"].text();
    if (!node["findings"].items.empty()) text += " " + node["findings"].items.front()["cause"].text();
    result[node["node"].text()] = text;
  }
  return result;
}

void write_file(const std::string& path, const std::string& content) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  const TempFolder folder;
  std::filesystem::copy_file(folder.write("x", content), path);
}

/// A disk with a driver and a kernel log; returns its folder.
std::string make_sysroot(const TempFolder& folder, const std::string& name, const std::string& log,
                         const std::string& driver = "580.95.05") {
  const std::string root = folder.path() + "/" + name;
  write_file(root + "/proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  " + driver +
                 "  Release Build  (builder@host)  Tue Sep 23 09:55:41 UTC 2025\nGCC version:  gcc version "
                 "12.2.0\n");
  write_file(root + "/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  write_file(root + "/var/log/kern.log", "[    0.000000] Linux version 6.1.0-40-amd64\n" + log);
  return root;
}

/// A program in ssh's place. What it does is told by the host's name, which it finds behind "--".
std::string fake_ssh(const TempFolder& folder) {
  const std::string path = folder.write("ssh", R"SH(#!/bin/sh
printf '%s\n' "$@" >>"$0.argv"
while [ "$1" != -- ]; do shift; done
case $2 in
  fine*) echo '{"schema_version": 1, "verdict": "no problem found", "findings": [], "harmless": [],
    "recognised": [{"formats": ["x"]}], "could_not_look": []}' ;;
  warns) echo '{"schema_version": 1, "findings": [{"cause": "c", "title": "a warning", "subject": {"text": "GPU"},
    "severity": "warning", "confidence": 0.7, "first": null}], "recognised": [], "could_not_look": []}'; exit 0 ;;
  silent) sleep 600 ;;
  half) printf '{"schema_version": 1, "find'; exit 0 ;;
  halfhangs) printf '{"schema_version": 1, "find'; sleep 600 ;;
  newer) echo '{"schema_version": 99, "findings": []}' ;;
  older) echo "gpuwright: no command 'doctor' (gpuwright --help lists them)" >&2; exit 2 ;;
  empty) exit 0 ;;
  noise) head -c 300000 /dev/zero; exit 0 ;;
  flood) while :; do echo 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'; done ;;
  absent) echo 'sh: 1: gpuwright: not found' >&2; exit 127 ;;
  refused) echo 'ssh: connect to host refused port 22: Connection refused' >&2; exit 255 ;;
  denied) echo 'x@denied: Permission denied (publickey).' >&2; exit 255 ;;
  escape) printf '\033]0;owned\007\033[31mred\n' >&2; exit 255 ;;
  crash) kill -SEGV $$ ;;
esac
)SH");
  ::chmod(path.c_str(), 0755);
  return path;
}

TEST(Fleet, TellsEveryKindOfFailureAsUnknown) {
  const TempFolder folder;
  const Ran ran = fleet({"--json", "--ssh",  fake_ssh(folder), "--timeout", "3",      "fine1",  "fine2",
                         "warns",  "silent", "half",           "halfhangs", "newer",  "older",  "empty",
                         "noise",  "flood",  "absent",         "refused",   "denied", "escape", "crash"});
  const std::map<std::string, std::string> expected = {{"fine1", "fine"},
                                                       {"fine2", "fine"},
                                                       {"warns", "warning c"},
                                                       {"silent", "unknown timed_out"},
                                                       {"half", "unknown bad_answer"},
                                                       {"halfhangs", "unknown timed_out"},
                                                       {"newer", "unknown too_old"},
                                                       {"older", "unknown too_old"},
                                                       {"empty", "unknown bad_answer"},
                                                       {"noise", "unknown bad_answer"},
                                                       {"flood", "unknown timed_out"},
                                                       {"absent", "unknown no_program"},
                                                       {"refused", "unknown unreachable"},
                                                       {"denied", "unknown denied"},
                                                       {"escape", "unknown unreachable"},
                                                       {"crash", "unknown failed"}};
  EXPECT_EQ(verdicts(parsed(ran)), expected);
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
}

TEST(Fleet, ExitsByItsFindingsThenByWhatItCouldNotSee) {
  const TempFolder folder;
  const std::string ssh = fake_ssh(folder);
  EXPECT_EQ(fleet({"--ssh", ssh, "fine1", "fine2"}).exit_code, 0);
  EXPECT_EQ(fleet({"--ssh", ssh, "fine1", "warns"}).exit_code, 0);
  EXPECT_EQ(fleet({"--ssh", ssh, "--fail-on", "warning", "fine1", "warns"}).exit_code, 1);
  EXPECT_EQ(fleet({"--ssh", ssh, "--fail-on", "warning", "denied", "warns"}).exit_code, 1);
  EXPECT_EQ(fleet({"--ssh", ssh, "fine1", "denied"}).exit_code, 3);
}

TEST(Fleet, PrintsATableInBothLanguagesWithoutControlBytes) {
  const TempFolder folder;
  const std::string ssh = fake_ssh(folder);
  for (const char* language : {"en", "zh"}) {
    const Ran ran = fleet({"--ssh", ssh, "--lang", language, "fine1", "warns", "escape", "denied"});
    EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(ran.out, Not(HasSubstr("\x07")));
    EXPECT_THAT(ran.out, HasSubstr("Permission denied"));
    EXPECT_THAT(ran.out, HasSubstr(language == std::string("zh") ? "4 个节点：2 未知，1 警告，1 正常"
                                                                 : "4 nodes: 2 unknown, 1 warning, 1 fine"));
    EXPECT_THAT(ran.err, IsEmpty());
  }
}

TEST(Fleet, GivesSshWordsThatNoShellCanMistake) {
  const TempFolder folder;
  const std::string ssh = fake_ssh(folder);
  const std::string hosts = folder.write(
      "hosts", "admin@fine1:2222 binary='/opt/my tools/gpuwright' sysroot=\"/mnt/it's; reboot\"\n");
  EXPECT_EQ(fleet({"--ssh", ssh + " -F 'a b'", "--hosts", hosts}).exit_code, 0);
  const std::string words = read_file(ssh + ".argv");
  EXPECT_THAT(words, HasSubstr("-F\na b\n"));
  EXPECT_THAT(words, HasSubstr("-p\n2222\n-l\nadmin\n--\nfine1\n'/opt/my tools/gpuwright' doctor --json "
                               "--facts --lang en --sysroot '/mnt/it'\\''s; reboot'\n"));
}

TEST(Fleet, RefusesWrongInputInOneLine) {
  const TempFolder folder;
  const std::string ssh = fake_ssh(folder);
  const std::string bad = folder.write("bad", "# nodes\nfine1\n-oProxyCommand=touch${IFS}x\n");
  const auto expect_refused = [&](const std::vector<std::string>& arguments, const std::string& says) {
    std::vector<std::string> all = {"--ssh", ssh};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ran ran = fleet(all);
    EXPECT_EQ(ran.exit_code, 2) << says;
    EXPECT_THAT(ran.err, HasSubstr(says));
    EXPECT_THAT(ran.out, IsEmpty());
  };
  expect_refused({"--hosts", bad}, bad + ":3: host");
  expect_refused({"--hosts", folder.path() + "/none"}, "/none");
  expect_refused({}, "no hosts");
  expect_refused({"fine1", "fine1"}, "named twice");
  expect_refused({"fine1", "--parallel", "0"}, "--parallel");
  expect_refused({"fine1", "--timeout", "x"}, "--timeout");
  expect_refused({"fine1", "--binary", "-x"}, "--binary");
  expect_refused({"--", "-oProxyCommand=x"}, "begins with '-'");
  EXPECT_EQ(fleet({"--ssh", "/nonexistent/ssh", "fine1"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(ssh + ".argv")) << "nothing was asked";
}

TEST(Fleet, OfSixteenRealServersWithThreeThatHangEndsInTimeWithTheWorstFirst) {
  if (const std::string why = SshServers::missing(); !why.empty()) GTEST_SKIP() << why;
  const TempFolder folder;
  SshServers servers;
  std::string hosts;
  const std::string login = SshServers::user() + "@127.0.0.1:";
  for (int n = 1; n <= 12; ++n) {
    const std::string name = "n" + std::to_string(n);
    const std::string log =
        n == 7 ? "[ 4242.000001] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n" : "";
    hosts += login + std::to_string(servers.start()) + " name=" + name + " binary=" + program() +
             " sysroot=" + make_sysroot(folder, name, log, n == 9 ? "580.65.06" : "580.95.05") + "\n";
  }
  const std::string hang = "echo $$ >>$PIDS; exec sleep 600";
  hosts += login + std::to_string(servers.start()) + " name=n13 binary=/nonexistent/gpuwright\n";
  hosts += login + std::to_string(servers.start(hang)) + " name=n14\n";
  hosts += login + std::to_string(servers.start_silent()) + " name=n15\n";
  hosts += login + std::to_string(servers.start("printf '{\"schema_version\": 1, \"fin'; " + hang)) +
           " name=n16\n";
  const Ran ran = fleet({"--json", "--hosts", folder.write("hosts", hosts), "--ssh", servers.client(),
                         "--timeout", "20", "--connect-timeout", "10"});
  const kit::Node json = parsed(ran);
  std::map<std::string, std::string> expected = {{"n7", "critical gpu-lost-from-bus"},
                                                 {"n13", "unknown no_program"},
                                                 {"n14", "unknown timed_out"},
                                                 {"n15", "unknown timed_out"},
                                                 {"n16", "unknown timed_out"}};
  for (const int n : {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12}) expected["n" + std::to_string(n)] = "fine";
  EXPECT_EQ(verdicts(json), expected) << ran.out;
  ASSERT_EQ(json["nodes"].items.size(), 16U);
  EXPECT_EQ(json["nodes"].items.front()["node"].text(), "n7");
  EXPECT_EQ(json["compared"].items.size(), 12U);
  ASSERT_EQ(json["odd"].items.size(), 1U) << ran.out;
  EXPECT_EQ(json["odd"].items[0]["name"].text(), "n9");
  EXPECT_EQ(json["odd"].items[0]["differences"].items[0]["fact"].text(), "driver.loaded_version");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_LT(ran.took, std::chrono::seconds(55)) << "those that hang are waited for one after another";
}

}  // namespace
}  // namespace gpuwright::tests
