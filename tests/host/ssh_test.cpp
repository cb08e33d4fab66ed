// The argument list for ssh, and what its end means.
// SPDX-License-Identifier: Apache-2.0
#include "host/ssh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using model::NoAnswer;
using ::testing::Contains;
using ::testing::HasSubstr;

base::ProcessResult ended(int status, const std::string& output, const std::string& errors) {
  base::ProcessResult result;
  result.status = status;
  result.output = output;
  result.errors = errors;
  return result;
}

host::RemoteAnswer judge(int status, const std::string& errors, const std::string& output = {}) {
  return host::judge_ssh(ended(status, output, errors), {});
}

TEST(SshArgv, EndsOptionsBeforeTheHostAndPutsOursBehindTheUsers) {
  host::RemoteHost remote;
  remote.host = "gpu-01";
  remote.user = "admin";
  remote.port = 2222;
  host::SshOptions options;
  options.program = {"ssh", "-F", "my file"};
  const auto argv = host::ssh_argv(remote, "gpuwright doctor", options);
  ASSERT_GE(argv.size(), 8U);
  EXPECT_EQ(argv[2], "my file");
  EXPECT_THAT(argv, Contains("BatchMode=yes"));
  EXPECT_THAT(argv, Contains("ConnectTimeout=10"));
  const std::vector<std::string> tail(argv.end() - 7, argv.end());
  EXPECT_EQ(tail,
            (std::vector<std::string>{"-p", "2222", "-l", "admin", "--", "gpu-01", "gpuwright doctor"}));
}

TEST(RemotePath, KeepsTheHomeFolderAndQuotesTheRest) {
  EXPECT_EQ(host::quote_remote_path("~/bin/gpu wright"), "~/'bin/gpu wright'");
  EXPECT_EQ(host::quote_remote_path("~root/x"), "'~root/x'");
  EXPECT_EQ(host::quote_remote_path("~/"), "'~/'");
  EXPECT_EQ(host::quote_remote_path("/opt/it's"), R"('/opt/it'\''s')");
}

TEST(SshEnd, IsToldByWhoFailed) {
  const auto kind = [](int status, const std::string& errors) {
    const auto answer = judge(status, errors);
    return answer.no_answer;
  };
  EXPECT_EQ(kind(255, "ssh: connect to host a port 22: Connection refused\r\n"), NoAnswer::Unreachable);
  EXPECT_EQ(kind(255, "ssh: Could not resolve hostname a: Name or service not known\r\n"),
            NoAnswer::Unreachable);
  EXPECT_EQ(kind(255, ""), NoAnswer::Unreachable);
  EXPECT_EQ(kind(255, "root@a: Permission denied (publickey).\r\n"), NoAnswer::Denied);
  EXPECT_EQ(kind(255, "No ED25519 host key is known\r\nHost key verification failed.\r\n"), NoAnswer::Denied);
  EXPECT_EQ(
      kind(255, "Connection timed out during banner exchange\r\nConnection to 1.2.3.4 port 22 timed out"),
      NoAnswer::TimedOut);
  EXPECT_EQ(kind(127, "bash: line 1: gpuwright: command not found\n"), NoAnswer::NoProgram);
  EXPECT_EQ(kind(1, "gpuwright: Command not found.\n"), NoAnswer::NoProgram);
  EXPECT_EQ(kind(126, "sh: 1: /opt/gpuwright: Permission denied\n"), NoAnswer::NoProgram);
  EXPECT_EQ(kind(2, "gpuwright doctor: The following argument was not expected: --lang (try --help)\n"),
            NoAnswer::TooOld);
  EXPECT_EQ(kind(2, "gpuwright: /mnt: is not a folder\n"), NoAnswer::Failed);
  EXPECT_EQ(kind(70, "gpuwright: internal error\n"), NoAnswer::Failed);
  for (const int status : {0, 1, 3}) EXPECT_EQ(kind(status, ""), std::nullopt) << status;
}

TEST(SshEnd, KeepsTheReasonPrintable) {
  const auto answer = judge(255, "ssh: connect to \x1b[31mhost: Connection refused\r\n\r\n");
  EXPECT_EQ(answer.detail, "ssh: connect to ?[31mhost: Connection refused");
}

TEST(SshEnd, AtTheDeadlineTellsWhatHadCome) {
  base::ProcessResult result = ended(-1, "{\"schema", "");
  result.timed_out = true;
  const auto answer = host::judge_ssh(result, {});
  EXPECT_EQ(answer.no_answer, NoAnswer::TimedOut);
  EXPECT_EQ(answer.detail, "60 s, 8 B");
}

TEST(SshEnd, WithMoreThanTheLimitIsNoAnswer) {
  host::SshOptions options;
  options.output_limit = 4;
  EXPECT_EQ(host::judge_ssh(ended(0, "{}{}", ""), options).no_answer, NoAnswer::BadAnswer);
  EXPECT_EQ(host::judge_ssh(ended(0, "{}\n", ""), options).no_answer, std::nullopt);
}

}  // namespace
}  // namespace gpuwright::tests
