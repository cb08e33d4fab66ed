// The operating system: what runs, how it was started, which limits a job gets. Source: os-release(5),
// proc(5), Documentation/ABI/testing/sysfs-firmware-dmi, UEFI specification (SecureBoot variable),
// mokutil(1).
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "facts/collector.h"
#include "facts/kernel_text.h"

#include <array>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

std::optional<List> words_of(const std::string& text) {
  List list;
  for (const std::string_view word : base::words(text)) list.push_back(base::printable(word));
  return list;
}

/// "6.8.0-60-generic" of "Linux version 6.8.0-60-generic (buildd@...) ...".
std::optional<std::string> release_of(const std::string& text) {
  const auto parts = base::words(text);
  if (parts.size() < 3 || parts[1] != "version") return std::nullopt;
  return std::string(parts[2]);
}

Field<std::string> kernel_of(Probe& probe) {
  auto release = probe.text("/proc/sys/kernel/osrelease");
  if (release.known()) return release;
  auto version = Probe::read_as<std::string>(probe.text("/proc/version"), release_of);
  if (version.known() || probe.source().live()) return version;
  auto told = probe.said({"uname", "-r"});
  if (!told.known()) {
    // "Linux host 6.8.0-87-generic #87-Ubuntu ..." of `uname -a`.
    const std::string all = probe.written("uname");
    const auto words = base::words(all);
    if (words.size() > 3 && words[0] == "Linux") told = probe.found(std::string(words[2]), "uname -a", all);
  }
  return told.known() ? Probe::derived(base::printable(base::trim(told.value()), 120), told) : version;
}

/// Four bytes of attributes, then 1 or 0. Source: UEFI specification 3.3, SecureBoot.
Field<bool> secure_boot_of(Probe& probe) {
  const auto variable = probe.source().read_file(
      "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", 64);
  if (variable && variable->size() == 5)
    return probe.found((*variable)[4] == 1, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-...");
  const auto told = probe.said({"mokutil", "--sb-state"});
  if (told.known()) {
    return Probe::read_as<bool>(told, [](const std::string& text) -> std::optional<bool> {
      if (base::contains(text, "SecureBoot enabled")) return true;
      if (base::contains(text, "SecureBoot disabled")) return false;
      return std::nullopt;
    });
  }
  const auto firmware = probe.names("/sys/firmware");
  if (firmware.known() && !probe.exists("/sys/firmware/efi"))
    return probe.found(false, "/sys/firmware", "no EFI: the machine was started by a BIOS");
  return Probe::as_absent<bool>(told);
}

/// Subjects of certificates as mokutil prints them.
std::optional<List> subjects_of(const std::string& text) {
  List list;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line);
    if (trimmed.starts_with("Subject:") && list.size() < 64)
      list.push_back(base::printable(base::trim(trimmed.substr(8)), 120));
  }
  return list;
}

/// Enrolled keys, and those that wait for the console. Without EFI there are none to ask for.
std::pair<Field<List>, Field<List>> machine_owner_keys_of(Probe& probe) {
  const bool recorded = !probe.source().live();  // a recording may hold mokutil's words without /sys/firmware
  if (!recorded && !probe.exists("/sys/firmware/efi")) {
    const auto none = probe.absent<List>(AbsentReason::NotFound, "/sys/firmware/efi",
                                         "the machine was not started by EFI firmware");
    return {none, none};
  }
  const auto said = [&probe](const char* option, const char* letter) {
    const auto told = probe.said({"mokutil", option});
    return Probe::read_as<List>(told.known() ? told : probe.said({"mokutil", letter}), subjects_of);
  };
  return {said("--list-enrolled", "-l"), said("--list-new", "-N")};
}

/// `mokutil --test-key FILE`, which somebody asked: "FILE is not enrolled", "FILE is already enrolled", "FILE
/// is already in the enrollment request".
Field<List> tested_keys_of(Probe& probe) {
  List tested;
  const std::string said = probe.written("mokutil --test-key") + probe.written("mokutil -t");
  for (const std::string_view line : base::lines(said)) {
    if (base::contains(line, "enroll") && tested.size() < 16)
      tested.push_back(base::printable(base::trim(line), 200));
  }
  if (tested.empty()) return probe.absent<List>(AbsentReason::NotFound, "mokutil --test-key", "is not asked");
  const std::string first = tested.front();
  return probe.found(std::move(tested), "mokutil --test-key", first);
}

/// Keys with which this machine signs modules that it builds. Source: dkms(8), update-secureboot-policy(8).
Field<List> module_keys_of(Probe& probe) {
  constexpr std::array<const char*, 4> kFiles = {"/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub",
                                                 "/etc/pki/akmods/certs/public_key.der",
                                                 "/usr/share/nvidia/module-signing"};
  List found;
  for (const char* path : kFiles) {
    if (probe.exists(path)) found.emplace_back(path);
  }
  if (found.empty())
    return probe.absent<List>(AbsentReason::NotFound, "/var/lib/shim-signed/mok, /var/lib/dkms",
                              "hold no key that can be seen");
  const std::string first = found.front();
  return probe.found(std::move(found), first);
}

/// What a person asked: `systemd-detect-virt` ("none" included), `lscpu`, `hostnamectl`, `virt-what`.
std::string told_virtualization(Probe& probe) {
  const std::string word(base::trim(probe.written("systemd-detect-virt")));
  if (!word.empty()) return word;
  for (const char* tool : {"lscpu", "hostnamectl"}) {
    const std::string text = probe.written(tool);
    for (const std::string_view line : base::lines(text)) {
      const std::string_view trimmed = base::trim(line);
      for (const std::string_view key : {"Hypervisor vendor:", "Virtualization:"}) {
        const std::string value =
            base::lower(base::trim(trimmed.substr(std::min(trimmed.size(), key.size()))));
        const bool extension = value == "vt-x" || value == "amd-v";  // of lscpu: what the processor can
        if (trimmed.starts_with(key) && !value.empty() && !extension) return value;
      }
    }
  }
  return std::string(base::trim(probe.written("virt-what")));
}

Field<std::string> virtualization_of(Probe& probe, const model::OsFacts& os) {
  auto hypervisor = probe.text("/sys/hypervisor/type");
  if (hypervisor.known()) return hypervisor;
  const std::string told_word = told_virtualization(probe);
  if (!told_word.empty())
    return probe.found(base::printable(told_word.substr(0, told_word.find('\n')), 40), "systemd-detect-virt",
                       told_word);
  struct Maker {
    const char* says;
    const char* kind;
  };
  constexpr std::array<Maker, 8> kMakers = {{{"QEMU", "kvm"},
                                             {"KVM", "kvm"},
                                             {"Amazon EC2", "kvm"},
                                             {"Google Compute Engine", "kvm"},
                                             {"VMware", "vmware"},
                                             {"Virtual Machine", "hyperv"},
                                             {"VirtualBox", "virtualbox"},
                                             {"Xen", "xen"}}};
  for (const Field<std::string>* told : {&os.product, &os.vendor}) {
    for (const Maker& maker : kMakers) {
      if (told->known() && base::contains(told->value(), maker.says))
        return Probe::derived(std::string(maker.kind), *told);
    }
  }
  auto cpuinfo = probe.text("/proc/cpuinfo", Probe::kLarge);
  if (!cpuinfo.known()) return cpuinfo;
  const std::size_t flags = cpuinfo.value().find("\nflags");
  const std::string_view line =
      flags == std::string::npos ? std::string_view()
                                 : base::lines(std::string_view(cpuinfo.value()).substr(flags + 1)).front();
  return Probe::derived(std::string(base::contains(line, " hypervisor") ? "virtual machine" : "none"),
                        cpuinfo);
}

Field<std::string> limit_of(Probe& probe, std::string_view name) {
  auto limits = probe.text("/proc/self/limits");
  if (!limits.known()) return limits;
  for (const std::string_view line : base::lines(limits.value())) {
    if (!line.starts_with(name)) continue;
    const auto parts = base::words(line.substr(name.size()));
    if (!parts.empty()) return probe.found(std::string(parts.front()), "/proc/self/limits", line);
  }
  return probe.absent<std::string>(AbsentReason::NotFound, "/proc/self/limits", "has no such line");
}

/// Debian and Ubuntu upgrade by themselves where APT::Periodic::Unattended-Upgrade is not "0".
Field<std::string> unattended_upgrades_of(Probe& probe) {
  const std::string path = "/etc/apt/apt.conf.d/20auto-upgrades";
  return Probe::read_as<std::string>(
      probe.text(path), [](const std::string& text) -> std::optional<std::string> {
        for (const std::string_view line : base::lines(text)) {
          if (base::contains(line, "Unattended-Upgrade") && !base::trim(line).starts_with("//"))
            return base::contains(line, "\"0\"") ? "off" : "on";
        }
        return "off";
      });
}

/// RHEL, Fedora and SUSE have no such file but a tool that says so.
std::optional<bool> told_reboot(Probe& probe) {
  const std::string said = probe.written("needs-restarting") + probe.written("dnf needs-restarting") +
                           probe.written("zypper needs-rebooting") + probe.written("needrestart") +
                           probe.written("yum needs-restarting");
  if (said.empty()) return std::nullopt;
  return base::contains(said, "Reboot is required") || base::contains(said, "Reboot is suggested") ||
         base::contains(said, "Pending kernel upgrade") || base::contains(said, "KSTA: 3");
}

Field<bool> reboot_required_of(Probe& probe) {
  if (const auto told = told_reboot(probe)) return probe.found(*told, "needs-restarting");
  std::optional<std::string> listed;
  for (const char* folder : {"/run", "/var/run"}) {
    const auto names = probe.source().list_directory(folder);
    if (!names) continue;
    listed = folder;
    for (const std::string& name : *names) {
      // Debian and Ubuntu; SUSE (libzypp)
      if (name == "reboot-required" || name == "reboot-needed")
        return probe.found(true, std::string(folder) + "/" + name);
    }
  }
  if (listed) return probe.found(false, *listed, "holds no reboot-required");
  return probe.absent<bool>(AbsentReason::NotFound, "/run", "cannot be listed");
}

}  // namespace

void collect_os(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::OsFacts& os = machine.os;
  auto release = probe.text("/etc/os-release");
  if (!release.known()) release = probe.text("/usr/lib/os-release");
  os.id = probe.value_of(release, "ID");
  os.version = probe.value_of(release, "VERSION_ID");
  os.name = probe.value_of(release, "PRETTY_NAME");
  os.kernel = kernel_of(probe);
  os.architecture = probe.text("/proc/sys/kernel/arch");  // Linux 6.1 and later
  if (!os.architecture.known()) os.architecture = probe.said({"uname", "-m"});
  os.command_line = Probe::read_as<List>(probe.text("/proc/cmdline"), words_of);
  os.uptime = Probe::read_as<std::int64_t>(
      probe.text("/proc/uptime"), [](const std::string& text) -> std::optional<std::int64_t> {
        const auto parts = base::words(text);
        const auto seconds = parts.empty() ? std::nullopt : base::parse_double(parts.front());
        if (!seconds || !(*seconds >= 0 && *seconds < 1e12)) return std::nullopt;
        return static_cast<std::int64_t>(*seconds);
      });
  os.host_name = probe.text("/proc/sys/kernel/hostname");
  os.product = probe.text("/sys/class/dmi/id/product_name");
  os.product_version = probe.text("/sys/class/dmi/id/product_version");
  os.vendor = probe.text("/sys/class/dmi/id/sys_vendor");
  os.bios_version = probe.text("/sys/class/dmi/id/bios_version");
  os.bios_date = probe.text("/sys/class/dmi/id/bios_date");
  os.virtualization = virtualization_of(probe, os);
  os.secure_boot = secure_boot_of(probe);
  os.lockdown = Probe::read_as<std::string>(probe.text("/sys/kernel/security/lockdown"), chosen_of);
  const auto [enrolled, pending] = machine_owner_keys_of(probe);
  os.enrolled_keys = enrolled;
  os.pending_keys = pending;
  os.module_keys = module_keys_of(probe);
  os.tested_keys = tested_keys_of(probe);
  os.reboot_required = reboot_required_of(probe);
  os.open_file_limit = Probe::integer_of(limit_of(probe, "Max open files"));
  os.locked_memory_limit = limit_of(probe, "Max locked memory");
  os.swappiness = probe.integer("/proc/sys/vm/swappiness");
  os.numa_balancing = probe.integer("/proc/sys/kernel/numa_balancing");
  os.max_map_count = probe.integer("/proc/sys/vm/max_map_count");
  os.kernel_tainted = probe.integer("/proc/sys/kernel/tainted");
  os.unattended_upgrades = unattended_upgrades_of(probe);
}

}  // namespace gpuwright::facts
