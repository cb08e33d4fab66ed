// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "support/slurm_cluster.h"

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"

#include "support/paths.h"
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

namespace gpuwright::tests {

namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr int kGpus = 8;
constexpr int kDriverMajor = 195;  // NVIDIA's character devices

std::string host_name() {
  std::array<char, 256> name{};
  EXPECT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  const std::string text = name.data();
  return text.substr(0, text.find('.'));
}

/// Ports that nobody listens at now.
std::vector<int> free_ports(std::size_t count) {
  std::vector<int> ports;
  std::vector<base::Fd> held;
  for (std::size_t i = 0; i < count; ++i) {
    held.emplace_back(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(held.back().get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(held.back().get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    ports.push_back(ntohs(address.sin_port));
  }
  return ports;
}

/// Ends the process whose number the file holds.
void end_by_file(const std::string& file) {
  const auto text = base::read_file(file, 100);
  const auto pid = text ? base::parse_int(base::trim(*text)) : std::nullopt;
  if (!pid || *pid <= 1) return;
  const auto number = static_cast<pid_t>(*pid);
  ::kill(number, SIGTERM);
  for (int i = 0; i < 100 && ::kill(number, 0) == 0; ++i) std::this_thread::sleep_for(kTick);
  if (::kill(number, 0) == 0) ::kill(number, SIGKILL);
}

}  // namespace

std::string SlurmCluster::missing() {
  if (::geteuid() != 0) return "only root can start a Slurm here";
  for (const char* tool : {"munged", "slurmctld", "slurmd", "scontrol", "sinfo"}) {
    if (!base::find_tool(tool)) return std::string(tool) + " is not installed";
  }
  return program().empty() || fakegpu_folder().empty() ? "this build has no program or no fakegpu" : "";
}

SlurmCluster::SlurmCluster(std::vector<std::string> nodes, const std::string& health_check)
    : nodes_(std::move(nodes)) {
  for (const char* name : {"etc", "log", "run", "state", "spool", "dev"})
    std::filesystem::create_directories(path(name));
  write_configuration(health_check);
}

SlurmCluster::~SlurmCluster() {
  stop();
}

void SlurmCluster::write_configuration(const std::string& health_check) const {
  const std::string check = folder_.write(
      "health-check", "#!/bin/sh\nexport SLURM_CONF=" + path("etc/slurm.conf") + "\n" + health_check);
  std::filesystem::permissions(check, std::filesystem::perms::owner_all);
  const std::string host = host_name();
  const std::vector<int> ports = free_ports(nodes_.size() + 2);
  std::string text = "ClusterName=gpuwright\nSlurmctldHost=" + host +
                     "(127.0.0.1)\n"
                     "SlurmctldPort=" +
                     std::to_string(ports[0]) + "\nSlurmdPort=" + std::to_string(ports[1]) +
                     "\n"
                     "AuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket=" +
                     path("run/munge.sock") +
                     "\n"
                     "SlurmUser=root\nSlurmdUser=root\nStateSaveLocation=" +
                     path("state") + "\nSlurmdSpoolDir=" + path("spool/%n") +
                     "\n"
                     "SlurmctldPidFile=" +
                     path("run/slurmctld.pid") + "\nSlurmdPidFile=" + path("run/slurmd-%n.pid") +
                     "\n"
                     "SlurmctldLogFile=" +
                     path("log/slurmctld.log") + "\nSlurmdLogFile=" + path("log/slurmd-%n.log") +
                     "\n"
                     "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n"
                     "MpiDefault=none\nReturnToService=2\nSelectType=select/cons_tres\n"
                     "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
                     "AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n"
                     "MailProg=/bin/true\nSlurmdParameters=config_overrides\nSlurmdTimeout=60\n"
                     "HealthCheckProgram=" +
                     check + "\nHealthCheckInterval=2\n";
  std::string devices = "AutoDetect=off\n";
  int minor = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::string& node = nodes_[i];
    text += "NodeName=" + node + " NodeHostname=" + host +
            " NodeAddr=127.0.0.1 Port=" + std::to_string(ports[i + 2]) +
            " CPUs=64 Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:h100:8 "
            "State=UNKNOWN\n";
    const std::string folder = path("dev/" + node);
    std::filesystem::create_directories(folder);
    std::filesystem::create_directories(path("spool/" + node));
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      const std::string device = folder + "/nvidia" + std::to_string(gpu);
      EXPECT_EQ(::mknod(device.c_str(), S_IFCHR | 0600, ::makedev(kDriverMajor, minor++)), 0) << device;
    }
    devices += "NodeName=" + node + " Name=gpu Type=h100 File=" + folder + "/nvidia[0-7]\n";
  }
  text += "PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
  folder_.write("etc/slurm.conf", text);
  folder_.write("etc/gres.conf", devices);
}

bool SlurmCluster::start_munge() const {
  const std::string key = folder_.write("munge.key", std::string(1024, 'k'));
  std::filesystem::permissions(key, std::filesystem::perms::owner_read);
  return run({"munged", "--force", "--key-file=" + key, "--socket=" + path("run/munge.sock"),
              "--pid-file=" + path("run/munged.pid"), "--log-file=" + path("log/munged.log"),
              "--seed-file=" + path("run/munge.seed")})
             .exit_code == 0;
}

bool SlurmCluster::start() {
  const std::string configuration = path("etc/slurm.conf");
  if (!start_munge() || run({"slurmctld", "-f", configuration}).exit_code != 0) return false;
  for (const std::string& node : nodes_) {
    if (run({"slurmd", "-f", configuration, "-N", node}).exit_code != 0) return false;
  }
  for (const std::string& node : nodes_) {
    if (!wait_for(node, "idle ")) return false;
  }
  return true;
}

Ran SlurmCluster::client(const std::vector<std::string>& argv) const {
  std::vector<std::string> whole = {"env", "SLURM_CONF=" + path("etc/slurm.conf"), "timeout", "20"};
  whole.insert(whole.end(), argv.begin(), argv.end());
  return run(whole);
}

std::string SlurmCluster::state(const std::string& node) const {
  const Ran ran = client({"scontrol", "show", "node", node});
  std::string state, reason;
  for (const std::string_view line : base::lines(ran.out)) {
    const std::string_view text = base::trim(line);
    if (text.starts_with("State=")) state = base::lower(text.substr(6, text.find(' ') - 6));
    if (text.starts_with("Reason=")) reason = text.substr(7);
  }
  return state + " " + reason;
}

bool SlurmCluster::wait_for(const std::string& node, const std::string& text, int seconds) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (base::contains(state(node), text)) return true;
    std::this_thread::sleep_for(kTick);
  }
  return false;
}

std::vector<std::string> SlurmCluster::drained() const {
  std::vector<std::string> names;
  for (const std::string& node : nodes_) {
    if (base::contains(state(node), "+drain")) names.push_back(node);
  }
  return names;
}

std::string SlurmCluster::log() const {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(path("log")))
    text += entry.path().string() + ":\n" + read_file(entry.path().string());
  return text;
}

void SlurmCluster::stop() const {
  for (const std::string& node : nodes_) end_by_file(path("run/slurmd-" + node + ".pid"));
  end_by_file(path("run/slurmctld.pid"));
  end_by_file(path("run/munged.pid"));
}

}  // namespace gpuwright::tests
