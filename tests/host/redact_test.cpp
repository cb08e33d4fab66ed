// Redaction: every kind of name goes, equal names stay equal, and nothing that a diagnosis needs is touched.
// SPDX-License-Identifier: Apache-2.0
#include "host/redact.h"

#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string redacted(const std::string& text, host::KnownNames known = {}) {
  host::Redactor redactor("0123456789abcdef", std::move(known));
  redactor.learn(text);
  return redactor.redact(text);
}

struct Gone {
  const char* what;
  const char* line;
  const char* secret;
};

class Secret : public ::testing::TestWithParam<Gone> {};

TEST_P(Secret, IsReplacedAndTheRestStays) {
  const std::string line = GetParam().line;
  const std::string result = redacted(line);
  EXPECT_THAT(result, Not(HasSubstr(GetParam().secret)));
  // What stands before the first secret is untouched, and so is what follows the last one.
  const auto first = line.find(GetParam().secret);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(result.substr(0, first), line.substr(0, first)) << result;
  const auto tail = line.substr(line.rfind(GetParam().secret) + std::string(GetParam().secret).size());
  EXPECT_TRUE(result.ends_with(tail)) << result;
}

constexpr Gone kGone[] = {
    {"gpu_uuid", "NVRM: GPU at PCI:0000:3b:00: GPU-5a3b1c2d-1111-2222-3333-444455556666",
     "5a3b1c2d-1111-2222-3333-444455556666"},
    {"mig_uuid", "  MIG 1g.10gb Device 0: (UUID: MIG-6b5a1c2d-1111-5222-9333-444455556666)",
     "6b5a1c2d-1111-5222-9333-444455556666"},
    {"old_mig_uuid", "MIG-GPU-5a3b1c2d-1111-2222-3333-444455556666/7/0",
     "5a3b1c2d-1111-2222-3333-444455556666"},
    {"pod_uuid", "kubepods-pod5a3b1c2d_1111_2222_3333_444455556666.slice",
     "5a3b1c2d_1111_2222_3333_444455556666"},
    {"smi_serial", "    Serial Number                         : 1320221001234", "1320221001234"},
    {"board_serial", "[ 1.0] NVRM: GPU Board Serial Number: 1320221001234", "1320221001234"},
    {"xml_serial", "\t\t<serial>1320221001234</serial>", "1320221001234"},
    {"chassis_serial", "        Chassis Serial Number             : 1821523456789", "1821523456789"},
    {"json_serial", "{\"serial\": \"1320221001234\"}", "1320221001234"},
    {"dmidecode_serial", "\tSerial Number: S441234X9A01", "S441234X9A01"},
    {"lspci_serial", "\tCapabilities: [100 v1] Device Serial Number 48-b0-2d-ff-fe-12-34-56",
     "48-b0-2d-ff-fe-12-34-56"},
    {"vpd_serial", "\t\t\t[SN] Serial number: MT2112X01234", "MT2112X01234"},
    {"asset_tag", "\tAsset Tag: AX-99812-07", "AX-99812-07"},
    {"usb_serial", "[    2.1] usb 1-1: SerialNumber: 0123456789AB", "0123456789AB"},
    {"mac", "    link/ether b8:59:9f:0d:7a:f2 brd ff:ff:ff:ff:ff:ff", "b8:59:9f:0d:7a:f2"},
    {"mac_dashes", "mac B8-59-9F-0D-7A-F2 up", "B8-59-9F-0D-7A-F2"},
    {"ib_link", "    link/infiniband 00:00:10:49:fe:80:00:00:00:00:00:00:b8:59:9f:03:00:0d:7a:f2 brd",
     "b8:59:9f:03:00:0d:7a:f2"},
    {"node_guid", "\tNode GUID: 0xb8599f03000d7af2", "b8599f03000d7af2"},
    {"sysfs_guid", "b859:9f03:000d:7af2", "b859:9f03:000d:7af2"},
    {"gid", "GID[  0]:\t\tfe80:0000:0000:0000:b859:9f03:000d:7af2", "b859:9f03:000d:7af2"},
    {"ipv4", "NCCL INFO NET/Socket : Using [0]eth0:203.0.113.7<0>", "203.0.113.7"},
    {"ipv4_url", "Cannot reach tcp://203.0.113.7:29500 in time", "203.0.113.7"},
    {"ipv4_end", "No route to 203.0.113.7.", "203.0.113.7"},
    {"ipv4_cidr", "    inet 203.0.113.7/24 brd", "203.0.113.7"},
    {"ipv6", "    inet6 2001:db8:12:34::9a/64 scope global", "2001:db8:12:34::9a"},
    {"ipv6_local", "    inet6 fe80::ba59:9fff:fe0d:7af2/64 scope link", "ba59:9fff:fe0d:7af2"},
    {"syslog_host", "May  3 10:00:00 blade-x77 kernel: [ 42.1] NVRM: ok", "blade-x77"},
    {"iso_host", "2024-05-03T10:00:00.123456+00:00 blade-x77 kernel: NVRM: ok", "blade-x77"},
    {"monotonic_host", "[   42.123456] blade-x77 kernel: NVRM: ok", "blade-x77"},
    {"journal_host", "{\"_HOSTNAME\":\"blade-x77\",\"MESSAGE\":\"x\"}", "blade-x77"},
    {"uname_host", "Linux blade-x77 5.15.0-105-generic #115-Ubuntu SMP", "blade-x77"},
    {"nccl_host", "blade-x77:3442:3510 [0] NCCL INFO Bootstrap", "blade-x77"},
    {"nccl_host_behind_prefix", "[1,0]<stdout>:blade-x77:3442:3510 [0] NCCL WARN x", "blade-x77"},
    {"mpi_host", "[blade-x77:12345] *** Process received signal ***", "blade-x77"},
    {"torch_host", "The client socket has failed to connect to [blade-x77]:29500 (errno: 110)", "blade-x77"},
    {"node_name", "  nodeName: blade-x77", "blade-x77"},
    {"node_label", "kubernetes.io/hostname=blade-x77", "blade-x77"},
    {"describe_node", "Node:                 blade-x77/", "blade-x77"},
    {"slurm_node", "NodeName=blade-x77 Arch=x86_64", "blade-x77"},
    {"cloud_host", "server ip-10-12-13-14.ec2.internal is gone", "ip-10-12-13-14.ec2.internal"},
    {"home", "File \"/home/jdoe42/train.py\", line 3", "jdoe42"},
    {"ssh_user", "sshd[1]: Accepted publickey for jdoe42 from ::1", "jdoe42"},
    {"uid_user", "uid=1000(jdoe42) gid=100", "jdoe42"},
    {"sudo_user", "sudo:   jdoe42 : TTY=pts/0 ; PWD=/ ; USER=root", "jdoe42"},
    {"session_user", "session opened for user jdoe42(uid=1000) by (uid=0)", "jdoe42"},
    {"address_user", "Mail jdoe42@localhost now", "jdoe42"},
    {"xid_process", "NVRM: Xid (PCI:0000:3b:00): 31, pid=77, name=lumen_train, Ch 00000008", "lumen_train"},
    {"xid_last_process", "NVRM: Xid (PCI:0000:3b:00): 31, pid=77, name=lumen::work 2", "lumen::work 2"},
    {"oom_process", "Out of memory: Killed process 77 (lumen_train) total-vm:1kB", "lumen_train"},
    {"oom_invoker", "lumen_train invoked oom-killer: gfp_mask=0x1", "lumen_train"},
    {"oom_task", "oom-kill:constraint=CONSTRAINT_MEMCG,task=lumen_train,pid=77,uid=0", "lumen_train"},
    {"segfault_process", "[ 9.1] lumen_train[77]: segfault at 0 ip 00007f error 4 in libnccl.so.2",
     "lumen_train"},
    {"hung_task", "INFO: task lumen_train:77 blocked for more than 120 seconds.", "lumen_train"},
    {"task_state", "[ 9.1] task:lumen_train     state:D stack:0", "lumen_train"},
    {"comm", "CPU: 3 PID: 77 Comm: lumen_train Tainted: P  OE", "lumen_train"},
    {"audit_comm", "type=1400 comm=\"lumen_train\" pid=7", "lumen_train"},
    {"xml_process", "<process_name>/opt/lumen_train</process_name>", "/opt/lumen_train"},
};

INSTANTIATE_TEST_SUITE_P(Names, Secret, ::testing::ValuesIn(kGone),
                         [](const auto& secret) { return std::string(secret.param.what); });

class Kept : public ::testing::TestWithParam<const char*> {};

TEST_P(Kept, LineIsNotTouched) {
  EXPECT_EQ(redacted(GetParam()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Facts, Kept,
    ::testing::Values(
        "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:3b:00): 31, pid=77, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE",
        "NVRM: GPU at PCI:0000:02:00: GPU-00000000-0000-0000-0000-000000000000",
        "NVRM: GPU Board Serial Number: 0000000000000", "    Serial Number                  : N/A",
        "00000000:86:00.0 0000:86:00.0 86:00.0 0000:86:00 domain 0001:c1:00.0",
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 42 LTSSM Fault Up",
        "[74785.660366] pcieport 0000:00:02.0: AER: Corrected error received: id=0010",
        "Driver Version: 535.104.05   CUDA Version: 12.2", "VBIOS Version : 92.00.45.00.06",
        "NCCL version 2.18.5.1+cuda12.2", "libcudnn.so.8.9.2.26 loaded", "Image Version : G500.0202.00.02",
        "May  3 10:00:00 is a time, 12:34:56.789 too, 2024-05-03T10:00:00Z also", "Sat Oct 12 18:35:32 2024",
        "std::runtime_error c10::cuda::CUDAError at::cuda c10d::ProcessGroup",
        "[rank0]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective",
        "device cuda:0 on mlx5_0:1 and [eth0:1]", "inet 127.0.0.1/8 netmask 255.255.255.0 0.0.0.0 ::1/128",
        "TLP Header: 04000001 0000000f 3b000000 00000000", "lr: 0x7ffd38384b30 commId 0xfc796891b09b70ef",
        "Connected to nvidia-persistenced as root, uid=0(root)",
        "ClusterUUID : 00000000-0000-0000-0000-000000000000", "Linux version 5.15.0-105-generic (gcc 11.4.0)",
        "getty@tty1.service: Deactivated", "veth12@if3: <UP>",
        "  LnkSta: Speed 16GT/s, Width x8 (downgraded)", "GPU 0: NVIDIA H100 80GB HBM3",
        "Serial: 8250/16550 driver, 32 ports, IRQ sharing enabled",
        "New USB device strings: Mfr=1, SerialNumber=3"));

TEST(Redactor, KeepsEqualThingsEqualAndDifferentOnesApart) {
  const std::string result = redacted(
      "May  3 10:00:00 blade-x77 kernel: GPU-5a3b1c2d-1111-2222-3333-444455556666 203.0.113.7\n"
      "GPU-5A3B1C2D-1111-2222-3333-444455556666\n"
      "blade-x77 is known now, blade-x78 is not; 203.0.113.7 and 203.0.113.8\n");
  const auto lines = base::lines(result);
  const auto first = base::words(lines[0]);
  EXPECT_EQ(base::words(lines[2])[0], first[3]);
  EXPECT_EQ(base::lower(lines[1]), base::lower(first[5])) << "case does not make another GPU";
  EXPECT_THAT(std::string(lines[1]), MatchesRegex("GPU-[0-9A-F-]+")) << "the writing stays as it was";
  EXPECT_EQ(base::words(lines[2])[7], first[6]);
  EXPECT_NE(base::words(lines[2])[9], first[6]);
  EXPECT_THAT(result, HasSubstr("blade-x78 is not"));
}

TEST(Redactor, ReplacesASerialNumberEverywhereOnceItIsKnown) {
  const std::string result = redacted("rma of SN12345X9 asked\n\tSerial Number: SN12345X9\n");
  EXPECT_THAT(result, Not(HasSubstr("SN12345X9")));
}

TEST(Redactor, KeepsShapes) {
  const host::Redactor redactor("key", {});
  EXPECT_THAT(redactor.ipv4("203.0.113.7"), MatchesRegex("10\\.[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(redactor.ipv6("2001:db8::1"), MatchesRegex("fd[0-9a-f:]+"));
  EXPECT_EQ(redactor.ipv6("fe80:0000:0000:0000:b859:9f03:000d:7af2").substr(0, 20), "fe80:0000:0000:0000:");
  EXPECT_THAT(redactor.serial("MT2112X0-a"), MatchesRegex("[A-Z][A-Z][0-9][0-9][0-9][0-9][A-Z][0-9]-[a-z]"));
  EXPECT_THAT(redactor.process("a_long_process_n"), MatchesRegex("proc_[0-9a-f]+"));
  EXPECT_LE(redactor.process("a_long_process_n").size(), 15U) << "the kernel's own limit for a name";
  EXPECT_THAT(redactor.host("n1.rack2.example.org"),
              MatchesRegex("host-[0-9a-f]+\\.dom-[0-9a-f]+\\.invalid"));
  EXPECT_EQ(redactor.host("n1.rack2.example.org").substr(0, 13), redactor.host("N1"));
}

TEST(Redactor, KeepsAGuidEqualInAllItsSpellings) {
  const host::Redactor redactor("key", {});
  const std::string plain = redactor.hex_id("b8599f03000d7af2");
  EXPECT_EQ(base::replace_all(redactor.hex_id("b859:9f03:000d:7af2"), ":", ""), plain);
  EXPECT_EQ(base::replace_all(redactor.ipv6("fe80:0000:0000:0000:b859:9f03:000d:7af2").substr(20), ":", ""),
            plain);
}

TEST(Redactor, KeepsNetworksTogetherAndAddressesApart) {
  const host::Redactor redactor("key", {});
  std::set<std::string> seen;
  const std::string network = redactor.ipv4("203.0.113.0").substr(0, redactor.ipv4("203.0.113.0").rfind('.'));
  for (int last = 0; last < 256; ++last) {
    const std::string address = redactor.ipv4("203.0.113." + std::to_string(last));
    EXPECT_EQ(address.substr(0, address.rfind('.')), network);
    seen.insert(address);
  }
  EXPECT_EQ(seen.size(), 256U);
  EXPECT_NE(redactor.ipv4("203.0.112.1").substr(0, network.size()), network);
}

TEST(Redactor, AnotherKeyGivesOtherNames) {
  EXPECT_NE(host::Redactor("a", {}).host("blade"), host::Redactor("b", {}).host("blade"));
  EXPECT_NE(host::Redactor("a", {}).serial("1320221001234"), host::Redactor("b", {}).serial("1320221001234"));
}

TEST(Redactor, UsesNamesThatItIsGiven) {
  host::KnownNames known;
  known.hosts = {"blade-x77.corp.example.org", "gpu"};
  known.users = {"jdoe42", "train"};
  const std::string result = redacted("blade-x77 ran jdoe42's job on gpu 3 in train mode\n", known);
  EXPECT_THAT(result, Not(HasSubstr("blade-x77")));
  EXPECT_THAT(result, Not(HasSubstr("jdoe42")));
  EXPECT_THAT(result, HasSubstr("job on gpu 3 in train mode")) << "words of the language are no names";
}

TEST(Redactor, TakesTheDomainBehindAKnownHostWithIt) {
  host::KnownNames known;
  known.hosts = {"blade-x77"};
  const std::string result =
      redacted("ssh blade-x77.rack7.example.org, see blade-x77.tar.gz and blade-x77.local.", known);
  EXPECT_THAT(result,
              MatchesRegex("ssh host-[0-9a-f]+\\.dom-[0-9a-f]+\\.invalid, see host-[0-9a-f]+\\.tar\\.gz and "
                           "host-[0-9a-f]+\\.dom-[0-9a-f]+\\.invalid\\."));
}

TEST(Redactor, ReadsTheNodeColumnsOfTables) {
  const std::string slurm =
      "REASON               USER      TIMESTAMP           NODELIST\n"
      "Xid 79 on GPU 3      jdoe42    2024-05-03T10:00:00 blade-x77\n"
      "power                jdoe42    2024-05-03T10:00:00 rack[001-004]\n";
  const std::string result = redacted(slurm);
  EXPECT_THAT(result, Not(HasSubstr("blade-x77")));
  EXPECT_THAT(result, Not(HasSubstr("jdoe42")));
  EXPECT_THAT(result, Not(HasSubstr("rack")));
  EXPECT_THAT(result, HasSubstr("[001-004]"));
  EXPECT_THAT(result, HasSubstr("Xid 79 on GPU 3"));
  const std::string nodes = redacted(
      "NAME        STATUS     ROLES    AGE   VERSION\nblade-x77   NotReady   worker   9d    v1.29.1\n");
  EXPECT_THAT(nodes, Not(HasSubstr("blade-x77")));
  EXPECT_THAT(nodes, HasSubstr("NotReady   worker   9d    v1.29.1"));
}

TEST(Redactor, KeepsTheWidthOfNvidiaSmisProcessTable) {
  const std::string row =
      "|    0   N/A  N/A      1234      C   ./lumen_train                    79000MiB |\n";
  const std::string result = redacted(row);
  EXPECT_EQ(result.size(), row.size());
  EXPECT_THAT(result, Not(HasSubstr("lumen")));
  EXPECT_TRUE(result.ends_with(" 79000MiB |\n"));
}

TEST(Redactor, ReadsTheOomKillersTaskTable) {
  const std::string table =
      "[ 9.1] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n"
      "[ 9.1] [   4242]  1000  4242   100000    50000   400000        0             0 lumen_train\n";
  EXPECT_THAT(redacted(table), Not(HasSubstr("lumen")));
  const std::string blank = "oom_score_adj name\n \n\n";
  EXPECT_EQ(redacted(blank), blank);
}

TEST(Redactor, LongTextComesInPiecesAndIsTheSame) {
  std::string text;
  for (int line = 0; line < 2000; ++line) text += "May  3 10:00:00 blade-x77 kernel: 203.0.113.7 line\n";
  host::Redactor redactor("key");
  redactor.learn(text);
  std::string joined;
  int pieces = 0;
  redactor.redact(text, 10000, [&](std::string_view piece) {
    joined += piece;
    ++pieces;
  });
  EXPECT_EQ(joined, redactor.redact(text));
  EXPECT_GT(pieces, 5);
}

/// Text of the alphabet that names are made of, so that nearly-names come often.
std::string random_text(std::mt19937& random, std::size_t size) {
  static constexpr char kAlphabet[] = "0123456789abcdefABCDEF:::...---[]()@=/ \n\t_xXnameserialuidhost,'\"<>";
  std::string text(size, '\0');
  for (char& letter : text) letter = kAlphabet[random() % (sizeof kAlphabet - 1)];
  return text;
}

TEST(Redactor, OfRandomTextNeverFailsAndKeepsTheNumberOfLines) {
  std::mt19937 random(20240503);
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_text(random, random() % 3000);
    const std::string result = redacted(text);
    EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  }
}

TEST(Redactor, OfRandomBytesNeverFails) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::string text(random() % 3000, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    const std::string result = redacted(text);
    EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  }
}

TEST(Redactor, FindsAddressesInAnyNoise) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_text(random, 80) +
                             " 203.0.113.7 GPU-5a3b1c2d-1111-2222-3333-444455556666 " +
                             random_text(random, 80);
    const std::string result = redacted(text);
    EXPECT_THAT(result, Not(HasSubstr("5a3b1c2d-1111"))) << text;
    EXPECT_THAT(result, Not(HasSubstr(" 203.0.113.7 "))) << text;
  }
}

}  // namespace
}  // namespace gpuwright::tests
