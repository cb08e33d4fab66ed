// Bundles: what was recorded is answered again, and a bundle that was tampered with is refused.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "host/evidence.h"
#include "host/inputs.h"
#include "host/live_host.h"
#include "host/recording.h"
#include "kit/compress.h"
#include "kit/hash.h"

#include "support/paths.h"
#include "support/run.h"
#include "support/tar.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace gpuwright::tests {
namespace {

using base::ErrorKind;
using base::make_error;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A machine made of answers.
class FakeMachine final : public host::Source {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, base::FileStatus> statuses;
  std::map<std::string, host::CommandAnswer> commands;
  host::KernelLog log;
  bool has_log = true;
  std::string nvml;  ///< empty: there is none

  bool live() const override { return true; }
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override {
    const auto file = files.find(path);
    if (file == files.end()) return make_error(ErrorKind::NotFound, "no such file or directory", path);
    if (file->second == "denied") return make_error(ErrorKind::Denied, "permission denied", path);
    return std::unique_ptr<base::ByteStream>(std::make_unique<base::MemoryStream>(file->second));
  }
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override {
    std::vector<std::string> names;
    for (const auto& file : files) {
      if (!file.first.starts_with(path + "/")) continue;
      const auto rest = file.first.substr(path.size() + 1);
      names.push_back(rest.substr(0, rest.find('/')));
    }
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.empty()) return make_error(ErrorKind::NotFound, "no such file or directory", path);
    return names;
  }
  base::Result<std::string> read_link(const std::string& path) override {
    return make_error(ErrorKind::NotFound, "no link", path);
  }
  base::Result<base::FileStatus> status_of(const std::string& path) override {
    const auto status = statuses.find(path);
    if (status == statuses.end()) return make_error(ErrorKind::NotFound, "no such file or directory", path);
    return status->second;
  }
  base::Result<host::CommandAnswer> run(const std::vector<std::string>& argv,
                                        std::chrono::milliseconds) override {
    std::string line;
    for (const auto& word : argv) line += (line.empty() ? "" : " ") + word;
    const auto command = commands.find(line);
    if (command == commands.end()) return make_error(ErrorKind::NotFound, "is not installed", argv.front());
    return command->second;
  }
  base::Result<std::string> gpu_answers() override {
    if (nvml.empty()) return make_error(ErrorKind::NotFound, "is not installed", "libnvidia-ml.so.1");
    return nvml;
  }
  base::Result<host::KernelLog> kernel_log() override {
    if (!has_log) return make_error(ErrorKind::Denied, "operation not permitted", "/dev/kmsg");
    return log;
  }
};

host::CommandAnswer says(const std::string& output, int status = 0, const std::string& errors = {}) {
  host::CommandAnswer answer;
  answer.output = output;
  answer.status = status;
  answer.errors = errors;
  return answer;
}

FakeMachine some_machine() {
  FakeMachine machine;
  machine.files["/proc/driver/nvidia/version"] =
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05\n";
  machine.files["/proc/driver/nvidia/gpus/0000:3b:00.0/information"] = "Model: NVIDIA H100\n";
  machine.files["/proc/driver/nvidia/gpus/0000:86:00.0/information"] =
      "Model: NVIDIA H100\nGPU UUID: GPU-5a3b1c2d-1111-2222-3333-444455556666\n";
  machine.files["/proc/uptime"] = "5745600.5 1.0\n";
  machine.files["/proc/cmdline"] = "denied";
  machine.commands["nvidia-smi"] = says("", 9, "NVIDIA-SMI has failed\n");
  machine.commands["nvidia-smi -q"] = says("half", -1);
  machine.commands["nvidia-smi -q"].timed_out = true;
  machine.log.text = "[ 1.0] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n";
  machine.log.records = 1;
  machine.log.lost = 3;
  return machine;
}

/// "name=text" of all documents.
std::vector<std::string> texts(host::Inputs inputs) {
  std::vector<std::string> result;
  for (auto& document : inputs.documents)
    result.push_back(document.name + "=" + base::read_all(*document.content, 1 << 20).value_or("?"));
  return result;
}

std::string pack(host::Source& machine, host::Redactor* redactor = nullptr) {
  const TempFolder folder;
  const std::string path = folder.path() + "/bundle.tar.gz";
  auto spool = host::Spool::create();
  EXPECT_TRUE(spool.ok());
  host::Recording recording(machine, *spool);
  host::collect_evidence(recording);
  host::BundleOptions options;
  options.created = "2024-05-03T10:00:00Z";
  options.tool = "gpuwright test";
  options.source = "live";
  options.redactor = redactor;
  const base::Fd fd(::open(path.c_str(), O_CREAT | O_WRONLY, 0600));
  EXPECT_TRUE(host::write_bundle(recording, fd.get(), options).ok());
  return read_file(path);
}

TEST(Bundle, KeepsWhatAPathWas) {
  FakeMachine machine = some_machine();
  machine.statuses["/dev/nvidia0"] = {base::FileKind::CharacterDevice, 0666U, 0, 44,
                                      base::DeviceNumber{195, 0}};
  machine.statuses["/etc/cdi"] = {base::FileKind::Directory, 0755U, 0, 0, std::nullopt};
  const TempFolder folder;
  const std::string path = folder.path() + "/bundle.tar.gz";
  auto spool = host::Spool::create();
  ASSERT_TRUE(spool.ok());
  host::Recording recording(machine, *spool);
  for (const char* asked : {"/dev/nvidia0", "/etc/cdi", "/dev/nvidia1"})
    EXPECT_EQ(recording.status_of(asked).ok(), machine.status_of(asked).ok());
  const auto manifest = host::read_manifest(host::write_manifest(recording.manifest()));
  ASSERT_TRUE(manifest.ok());
  host::Recorded recorded(*manifest, {});
  EXPECT_EQ(*recorded.status_of("/dev/nvidia0"), machine.statuses["/dev/nvidia0"]);
  EXPECT_EQ(*recorded.status_of("//etc/cdi/"), machine.statuses["/etc/cdi"]);
  const auto absent = recorded.status_of("/dev/nvidia1");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(absent.error().message, "no such file or directory");
}

TEST(Fixture, ImpliesWhatItsPathsAreAndItsManifestSaysMore) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() + "/files/proc/driver");
  folder.write("files/proc/driver/version", "one\n");
  folder.write("manifest.json",
               R"({"kind": "gpuwright-bundle", "schema_version": 1, "statuses": {"/dev/nvidia0":
                  {"kind": "character_device", "mode": "0600", "uid": 0, "major": 195, "minor": 0}}})");
  const auto fixture = host::open_fixture(folder.path());
  ASSERT_TRUE(fixture.ok());
  EXPECT_EQ((*fixture)->status_of("/proc/driver/version")->kind, base::FileKind::Regular);
  EXPECT_EQ((*fixture)->status_of("/proc/driver")->kind, base::FileKind::Directory);
  EXPECT_FALSE((*fixture)->status_of("/proc/driver")->mode.has_value()) << "unknown, not 0";
  EXPECT_EQ((*fixture)->status_of("/proc/driv").error().kind, ErrorKind::NotFound);
  const auto device = (*fixture)->status_of("/dev/nvidia0");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ(device->mode, 0600U);
  EXPECT_EQ(device->gid, std::nullopt);
  EXPECT_EQ(device->device, (base::DeviceNumber{195, 0}));
}

TEST(Evidence, NamesWhatItReadAndWhatItCouldNot) {
  FakeMachine machine = some_machine();
  host::Inputs inputs = host::collect_evidence(machine);
  EXPECT_THAT(inputs.could_not_look, Contains(HasSubstr("kernel log: 3 records were overwritten")));
  EXPECT_THAT(inputs.could_not_look, Contains("/proc/cmdline: permission denied"));
  EXPECT_THAT(inputs.could_not_look, Contains("nvidia-smi -q: no answer after 60 s: killed"));
  EXPECT_THAT(inputs.could_not_look, Contains("lspci -nnvv: is not installed"));
  EXPECT_THAT(inputs.could_not_look, ::testing::Not(Contains(HasSubstr("ibstat"))))
      << "looked for, not expected";
  const auto found = texts(std::move(inputs));
  EXPECT_THAT(found, Contains("uptime=uptime 66 days 12 h\n"));
  EXPECT_THAT(found, Contains("nvidia-smi=NVIDIA-SMI has failed\n"));
  EXPECT_THAT(found, Contains("nvidia-smi -q=half\nnvidia-smi -q: no answer after 60 s\n"));
  EXPECT_THAT(found, Contains("/proc/driver/nvidia/gpus/0000:3b:00.0/information=Model: NVIDIA H100\n"));
}

TEST(Evidence, OfAToolThatNobodyExpectsIsNoComplaint) {
  FakeMachine machine = some_machine();
  machine.commands["docker info"] = says("Client:\n", 1, "Cannot connect to the Docker daemon\n");
  host::Inputs inputs = host::collect_evidence(machine);
  EXPECT_THAT(inputs.could_not_look, Contains("docker info: Cannot connect to the Docker daemon"));
  for (const auto& document : inputs.documents) EXPECT_NE(document.name, "docker info");
}

TEST(Evidence, ReadsPcieLinksFromSysfsWhereLspciIsMissing) {
  FakeMachine machine;
  const std::string gpu = "/sys/bus/pci/devices/0000:3b:00.0/";
  machine.files[gpu + "vendor"] = "0x10de\n";
  machine.files[gpu + "device"] = "0x2330\n";
  machine.files[gpu + "class"] = "0x030200\n";
  machine.files[gpu + "max_link_speed"] = "32.0 GT/s PCIe\n";
  machine.files[gpu + "max_link_width"] = "16\n";
  machine.files[gpu + "current_link_speed"] = "2.5 GT/s PCIe\n";
  machine.files[gpu + "current_link_width"] = "8\n";
  machine.files["/sys/bus/pci/devices/0000:00:02.0/vendor"] = "0x8086\n";
  const std::string expected =
      "/sys/bus/pci/devices=0000:3b:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2330]\n"
      "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16\n\t\tLnkSta:\tSpeed 2.5GT/s, Width x8\n";
  EXPECT_THAT(texts(host::collect_evidence(machine)), Contains(expected));
  const TempFolder folder;
  auto after = host::open_inputs({folder.write("b.tar.gz", pack(machine))});
  ASSERT_TRUE(after.ok());
  EXPECT_THAT(texts(std::move(*after)), Contains(expected));
}

TEST(Evidence, TakesTheJournalWhereTheKernelLogIsDeniedOrItsBeginningIsGone) {
  FakeMachine machine = some_machine();
  machine.commands["journalctl -k -b -o json --no-pager -q"] = says(
      "{\"_TRANSPORT\":\"kernel\",\"__MONOTONIC_TIMESTAMP\":\"1000000\",\"MESSAGE\":\"from the journal\"}\n");
  const std::string expected = "kernel log=[    1.000000] from the journal\n";
  machine.log.overwritten = 10;
  EXPECT_EQ(texts(host::collect_evidence(machine)).front(), expected);
  machine.has_log = false;
  EXPECT_EQ(texts(host::collect_evidence(machine)).front(), expected);
  machine.commands.erase("journalctl -k -b -o json --no-pager -q");
  machine.files["/var/log/messages"] = "from the file\n";
  EXPECT_EQ(texts(host::collect_evidence(machine)).front(), "/var/log/messages=from the file\n");
  machine.files.erase("/var/log/messages");
  EXPECT_THAT(host::collect_evidence(machine).could_not_look,
              Contains(HasSubstr("kernel log: operation not permitted")));
}

TEST(EvidenceList, HasADeadlineForEachCommandAndAReasonForAll) {
  for (const auto& item : host::evidence_list()) {
    EXPECT_FALSE(std::string(item.why).empty()) << item.what;
    const bool is_command =
        item.kind == host::EvidenceKind::Command || item.kind == host::EvidenceKind::SmiCommand;
    EXPECT_EQ(item.deadline.count() > 0, is_command) << item.what;
  }
}

TEST(Bundle, AnswersAsTheMachineDid) {
  FakeMachine machine = some_machine();
  host::Inputs before = host::collect_evidence(machine);
  const auto could_not_look = before.could_not_look;
  const TempFolder folder;
  auto after = host::open_inputs({folder.write("b.tar.gz", pack(machine))});
  ASSERT_TRUE(after.ok()) << after.error().text();
  EXPECT_EQ(after->could_not_look, could_not_look);
  EXPECT_EQ(texts(std::move(*after)), texts(std::move(before)));
}

TEST(Bundle, KeepsWhatTheGpusAnsweredAndAsksNvidiaSmiNoMore) {
  FakeMachine machine = some_machine();
  machine.nvml = "gpuwright: NVML answers, version 1\nsimulated: two boards\nGPU 0\n";
  host::Inputs before = host::collect_evidence(machine);
  for (const auto& document : before.documents)
    EXPECT_EQ(document.name.find("nvidia-smi"), std::string::npos);
  const TempFolder folder;
  auto after = host::open_inputs({folder.write("b.tar.gz", pack(machine))});
  ASSERT_TRUE(after.ok()) << after.error().text();
  const auto kept = texts(std::move(*after));
  EXPECT_EQ(kept, texts(std::move(before)));
  EXPECT_NE(std::find(kept.begin(), kept.end(), "NVML (simulated)=" + machine.nvml), kept.end());
}

TEST(Bundle, NamesOfGpusInAnswersOfNvmlAreHidden) {
  FakeMachine machine = some_machine();
  machine.nvml =
      "gpuwright: NVML answers, version 1\nGPU 0\n"
      "uuid: GPU-5a3b1c2d-1111-2222-3333-444455556666  [nvmlDeviceGetUUID, 2 us]\n"
      "serial: 1650522003820  [nvmlDeviceGetSerial, 2 us]\n";
  host::Redactor redactor("key");
  const TempFolder folder;
  auto after = host::open_inputs({folder.write("b.tar.gz", pack(machine, &redactor))});
  ASSERT_TRUE(after.ok()) << after.error().text();
  for (const std::string& text : texts(std::move(*after))) {
    EXPECT_EQ(text.find("5a3b1c2d"), std::string::npos) << text;
    EXPECT_EQ(text.find("1650522003820"), std::string::npos) << text;
  }
}

TEST(Bundle, IsReproducible) {
  FakeMachine machine = some_machine();
  EXPECT_EQ(pack(machine), pack(machine));
  host::Redactor one("key");
  host::Redactor two("key");
  EXPECT_EQ(pack(machine, &one), pack(machine, &two));
}

TEST(Bundle, UnpackedByHandIsAFixture) {
  FakeMachine machine = some_machine();
  const TempFolder folder;
  const std::string path = folder.write("b.tar.gz", pack(machine));
  std::filesystem::create_directories(folder.path() + "/x");
  ASSERT_EQ(run({"tar", "xzf", path, "-C", folder.path() + "/x"}).exit_code, 0);
  auto fixture = host::open_fixture(folder.path() + "/x");
  ASSERT_TRUE(fixture.ok());
  EXPECT_EQ(texts(host::collect_evidence(**fixture)), texts(host::collect_evidence(machine)));
}

TEST(Fixture, NeedsNoManifest) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() + "/files/proc/driver/nvidia/gpus/0000:3b:00.0");
  std::filesystem::create_directories(folder.path() + "/commands/nvidia-smi_-q");
  folder.write("files/proc/driver/nvidia/gpus/0000:3b:00.0/information", "Model: x\n");
  folder.write("commands/nvidia-smi_-q/stdout", "smi\n");
  auto fixture = host::open_fixture(folder.path());
  ASSERT_TRUE(fixture.ok());
  EXPECT_THAT(
      texts(host::collect_evidence(**fixture)),
      ElementsAre("/proc/driver/nvidia/gpus/0000:3b:00.0/information=Model: x\n", "nvidia-smi -q=smi\n"));
}

// ---- bundles that somebody changed

std::string manifest_for(const std::string& path, const std::string& content) {
  host::Manifest manifest;
  manifest.tool = "gpuwright test";
  manifest.source = "live";
  host::BundleMember member;
  member.path = path;
  member.size = static_cast<std::int64_t>(content.size());
  member.sha256 = kit::sha256_hex(content);
  manifest.members.push_back(member);
  return host::write_manifest(manifest);
}

std::string open_error(const std::string& archive) {
  const TempFolder folder;
  const auto inputs = host::open_inputs({folder.write("b.tar", archive)});
  return inputs.ok() ? "" : inputs.error().message;
}

const std::string kPath = "files/proc/version";
const std::string kText = "Linux version 5\n";

TEST(TamperedBundle, AsItShouldBeIsRead) {
  EXPECT_EQ(open_error(tar_member({"manifest.json", manifest_for(kPath, kText)}) +
                       tar_member({kPath, kText}) + tar_end()),
            "");
}

TEST(TamperedBundle, WithAChangedMemberIsRefused) {
  const std::string manifest = tar_member({"manifest.json", manifest_for(kPath, kText)});
  EXPECT_THAT(open_error(manifest + tar_member({kPath, "Linux version 6\n"}) + tar_end()),
              HasSubstr("digest"));
  EXPECT_THAT(open_error(manifest + tar_member({kPath, kText + "more"}) + tar_end()), HasSubstr("larger"));
  EXPECT_THAT(open_error(manifest + tar_member({kPath, ""}) + tar_end()), HasSubstr("digest"));
}

TEST(TamperedBundle, WithAMissingForeignOrDoubleMemberIsRefused) {
  const std::string manifest = tar_member({"manifest.json", manifest_for(kPath, kText)});
  const std::string member = tar_member({kPath, kText});
  EXPECT_THAT(open_error(manifest + tar_end()), HasSubstr("missing"));
  EXPECT_THAT(open_error(manifest + member + tar_member({"files/etc/x", "x"}) + tar_end()),
              HasSubstr("not in the manifest"));
  EXPECT_THAT(open_error(manifest + member + member + tar_end()), HasSubstr("twice"));
}

TEST(TamperedBundle, WithLinksOrDevicesIsRefused) {
  const std::string manifest = tar_member({"manifest.json", manifest_for(kPath, kText)});
  for (const char type : {'1', '2', '3', '6'}) {
    EXPECT_THAT(open_error(manifest + tar_member({kPath, "", type, "/etc/shadow"}) + tar_end()),
                HasSubstr("no plain file"))
        << type;
  }
}

TEST(TamperedBundle, WithABrokenManifestIsRefused) {
  EXPECT_NE(open_error(tar_member({"manifest.json", "{"}) + tar_end()), "");
  EXPECT_NE(open_error(tar_member({"manifest.json", "{\"kind\":\"other\"}"}) + tar_end()), "");
  EXPECT_THAT(
      open_error(tar_member({"manifest.json", "{\"kind\":\"gpuwright-bundle\",\"schema_version\":99}"}) +
                 tar_end()),
      HasSubstr("newer"));
}

}  // namespace
}  // namespace gpuwright::tests
