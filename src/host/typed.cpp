// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/typed.h"

#include "base/ids.h"
#include "base/text.h"
#include "host/source.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace gpuwright::host {

namespace {

constexpr const char* kPci = "/sys/bus/pci/devices/";
constexpr const char* kModules = "/lib/modules/";
constexpr const char* kRdma = "/sys/class/infiniband/";

bool is_lower_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "1b:00.0" or "0000:1b:00.0" at the start of a line; empty where none is.
std::string address_at(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(' '));
  const auto address = word.size() < 7 ? std::nullopt : base::PciAddress::parse(word);
  return address ? address->text() : std::string();
}

/// The last "[10de:2330]" of a line.
std::pair<std::string, std::string> ids_in(std::string_view line) {
  for (std::size_t at = line.rfind('['); at != std::string_view::npos && at > 0;
       at = line.rfind('[', at - 1)) {
    const std::string_view ids = line.substr(at + 1, 9);
    if (ids.size() == 9 && ids[4] == ':' && is_lower_hex(ids.substr(0, 4)) && is_lower_hex(ids.substr(5)))
      return {std::string(ids.substr(0, 4)), std::string(ids.substr(5))};
  }
  return {};
}

/// "0302" of "3D controller [0302]: ...", or by the words where no number stands.
std::string class_in(std::string_view line) {
  const std::size_t open = line.find(" [");
  if (open != std::string_view::npos && line.size() > open + 7 && line[open + 6] == ']' &&
      is_lower_hex(line.substr(open + 2, 4)))
    return std::string(line.substr(open + 2, 4));
  struct Words {
    std::string_view text, code;
  };
  constexpr std::array<Words, 9> kClasses = {{{" 3D controller:", "0302"},
                                              {" VGA compatible controller:", "0300"},
                                              {" Display controller:", "0380"},
                                              {" Bridge:", "0680"},
                                              {" PCI bridge:", "0604"},
                                              {" Infiniband controller:", "0207"},
                                              {" Ethernet controller:", "0200"},
                                              {" Non-Volatile memory controller:", "0108"},
                                              {" Audio device:", "0403"}}};
  for (const Words& known : kClasses) {
    if (base::contains(line, known.text)) return std::string(known.code);
  }
  return {};
}

/// "-rwxrwxrwx" as bits.
std::uint32_t mode_of(std::string_view letters) {
  std::uint32_t mode = 0;
  for (std::size_t at = 1; at < 10 && at < letters.size(); ++at)
    mode = mode << 1 | (letters[at] == '-' || letters[at] == 'S' || letters[at] == 'T' ? 0U : 1U);
  return mode;
}

base::FileKind kind_of_letter(char letter) {
  switch (letter) {
    case '-':
      return base::FileKind::Regular;
    case 'd':
      return base::FileKind::Directory;
    case 'l':
      return base::FileKind::Link;
    default:
      return base::file_kind_of_name(letter == 'c'   ? "character_device"
                                     : letter == 'b' ? "block_device"
                                                     : "");
  }
}

/// "root" is 0, a number itself; other names are known to that machine alone.
std::optional<std::int64_t> id_of(std::string_view name) {
  return name == "root" ? std::optional<std::int64_t>(0) : base::parse_int(name);
}

/// The file's name in a line of `ls -l`.
std::string_view name_in(const std::vector<std::string_view>& words) {
  const auto arrow = std::find(words.begin(), words.end(), "->");
  return arrow == words.end() || arrow == words.begin() ? words.back() : *(arrow - 1);
}

bool is_long(const std::vector<std::string_view>& words) {
  return words.size() >= 8 && words[0].size() >= 10 && base::contains("-dlcbps", words[0].substr(0, 1));
}

/// The only folder that `ls` was asked for, as its name has it: "_etc_modprobe.d" behind the options; empty
/// where a pattern or nothing stands there.
std::string operand_of(const std::string& name) {
  std::size_t at = 2;
  while (at + 1 < name.size() && name[at] == '_' && name[at + 1] == '-')
    at = std::min(name.size(), name.find('_', at + 1));
  std::string operand = name.substr(std::min(name.size(), at + 1));
  if (!operand.starts_with('_') || operand.find_first_of("*?|") != std::string::npos) return {};
  if (operand.ends_with('_')) operand.pop_back();
  return operand;
}

std::string without_quotes(std::string_view text) {
  std::string plain = base::printable(text);
  plain.erase(
      std::remove_if(plain.begin(), plain.end(), [](char c) { return c == '\'' || c == '`' || c == '"'; }),
      plain.end());
  return plain;
}

/// "Access: (0660/crw-rw----)  Uid: (    0/    root)   Gid: (   44/   video)".
base::FileStatus status_of_access(std::string_view line) {
  constexpr std::size_t kDigits = 9;  // behind "Access: ("
  const std::size_t slash = line.find('/');
  base::FileStatus status;
  if (slash + 1 < line.size()) status.kind = kind_of_letter(line[slash + 1]);
  std::uint32_t mode = 0;
  for (const char digit : line.substr(kDigits, slash - kDigits))
    mode = (mode * 8 + static_cast<std::uint32_t>(std::clamp(digit - '0', 0, 7))) & 07777U;
  status.mode = mode;
  const auto id = [line](std::string_view key) -> std::optional<std::int64_t> {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = base::trim(line.substr(at + key.size()));
    return base::parse_int(rest.substr(0, rest.find_first_not_of("0123456789")));
  };
  status.uid = id("Uid: (");
  status.gid = id("Gid: (");
  return status;
}

}  // namespace

std::string spoken_name(std::string_view folder) {
  std::string name;
  for (std::size_t at = 0; at < folder.size(); ++at) {
    char letter = folder[at];
    const auto code =
        letter == '%' && at + 2 < folder.size() ? base::parse_hex(folder.substr(at + 1, 2)) : std::nullopt;
    if (code) {
      letter = static_cast<char>(*code);
      at += 2;
    }
    name += letter == ' ' || letter == '/' ? '_' : letter;
  }
  constexpr std::array<std::string_view, 7> kStarters = {"sudo_-n_", "sudo_",     "microk8s_", "microk8s.",
                                                         "k3s_",     "_usr_bin_", "_usr_sbin_"};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view starter : kStarters) {
      if (!name.starts_with(starter)) continue;
      name.erase(0, starter.size());
      again = true;
    }
  }
  if (name.starts_with("oc_")) name.replace(0, 2, "kubectl");
  return name;
}

Typed::Typed(const std::vector<std::pair<std::string, std::string>>& said) {
  for (const auto& [name, text] : said) {
    const auto begins = [&name = name](std::string_view word) { return name.starts_with(word); };
    if (begins("cat_")) cats_[name] = text;
    if (begins("ls_")) read_listing(name, text);
    if (begins("grep_") || begins("egrep_")) read_grep(name, text);
    if (begins("stat_")) read_stat(text);
    if (begins("find_") || begins("locate_")) read_paths(text);
    if (begins("virsh_dumpxml_")) add_file("/etc/libvirt/qemu/" + name.substr(14) + ".xml", text);
    if (begins("qm_config_")) add_file("/etc/pve/qemu-server/" + name.substr(10) + ".conf", text);
    if (begins("lscpu")) read_cpu(text);
    if (begins("lspci") || base::contains(text, "IOMMU Group ")) read_pci(text);
    if (begins("modinfo")) read_module(text);
    if (begins("dkms_status")) read_dkms(text);
    if (begins("ibstat") || begins("ibv_dev") || begins("ibdev2netdev") || begins("rdma_link"))
      read_rdma(text);
  }
}

std::optional<std::string> Typed::file(const std::string& path) const {
  const auto told = files_.find(path);
  if (told != files_.end()) return told->second;
  const auto cat = cats_.find("cat_" + base::replace_all(path, "/", "_"));
  return cat == cats_.end() ? std::nullopt : std::optional(cat->second);
}

std::optional<std::string> Typed::link(const std::string& path) const {
  const auto told = links_.find(path);
  return told == links_.end() ? std::nullopt : std::optional(told->second);
}

std::optional<base::FileStatus> Typed::status(const std::string& path) const {
  const auto told = statuses_.find(path);
  return told == statuses_.end() ? std::nullopt : std::optional(told->second);
}

std::vector<std::string> Typed::names(const std::string& folder) const {
  std::set<std::string> names;
  const std::string prefix = folder == "/" ? folder : folder + "/";
  const auto add = [&](const std::string& path) {
    if (path.starts_with(prefix))
      names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
  };
  for (const auto& file : files_) add(file.first);
  for (const auto& link : links_) add(link.first);
  for (const auto& status : statuses_) add(status.first);
  const auto listing = listed_.find(base::replace_all(folder, "/", "_"));
  for (const std::string_view line :
       base::lines(listing == listed_.end() ? std::string_view() : listing->second)) {
    for (const std::string_view word : base::words(line)) names.emplace(word);
  }
  return {names.begin(), names.end()};
}

std::string Typed::part_of(const std::string& path) const {
  const std::string folder = path.substr(0, path.rfind('/'));
  if (listed_.count(base::replace_all(folder, "/", "_")) != 0) return {};
  for (const std::string& top : partly_) {
    if (path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/')) return top;
  }
  return {};
}

void Typed::add_file(const std::string& path, std::string text) {
  constexpr std::size_t kMostFiles = 50'000;
  if (files_.size() < kMostFiles) files_.emplace(normal_path(path), std::move(text));
}

/// "crw-rw---- 1 root video 195, 0 Nov 29 06:00 /dev/nvidia0", "lrwxrwxrwx 1 root root 26 Nov 28 06:12 a ->
/// b".
void Typed::read_long_line(std::string_view line, const std::string& folder) {
  const auto words = base::words(line);
  if (words.size() < 8 || words[0].size() < 10 || base::parse_int(words[1]) == std::nullopt) return;
  base::FileStatus status;
  status.kind = kind_of_letter(words[0].front());
  status.mode = mode_of(words[0]);
  status.uid = id_of(words[2]);
  status.gid = id_of(words[3]);
  const bool device = words[4].ends_with(',');
  if (device && base::parse_int(words[5]))
    status.device = base::DeviceNumber{base::parse_int(words[4].substr(0, words[4].size() - 1)).value_or(0),
                                       *base::parse_int(words[5])};
  const auto arrow = std::find(words.begin(), words.end(), "->");
  const std::string name(arrow == words.end() ? words.back() : *(arrow - 1));
  if (!name.starts_with('/') && folder.empty()) return;
  const std::string path = normal_path(name.starts_with('/') ? name : folder + "/" + name);
  if (arrow != words.end() && arrow + 1 != words.end()) links_[path] = std::string(*(arrow + 1));
  statuses_[path] = status;
  if (path.starts_with("/dev/")) partly_.insert("/dev");
}

void Typed::read_listing(const std::string& name, std::string_view text) {
  const std::string operand = operand_of(name);
  // The underscores of the name stand for slashes in most paths of interest.
  const std::string folder = base::replace_all(operand, "_", "/");
  std::string plain;
  for (const std::string_view line : base::lines(text)) {
    const auto words = base::words(line);
    if (words.empty() || words[0] == "total" || words[0] == "ls:") continue;
    if (is_long(words)) {
      if (!name_in(words).starts_with('/')) plain += std::string(name_in(words)) + "\n";
      read_long_line(line, folder);
    } else if (words[0].starts_with('/')) {
      read_listed_paths(words);
    } else {
      plain += std::string(line) + "\n";
    }
  }
  if (!operand.empty() && !plain.empty()) listed_[operand] = plain;
}

void Typed::read_listed_paths(const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (word.ends_with(':')) continue;  // the head of a folder's own list
    add_file(std::string(word), "");
    if (word.starts_with("/dev/")) partly_.insert("/dev");
  }
}

/// "  File: /dev/nvidia0" and "Access: (0660/crw-rw----)  Uid: (    0/    root)   Gid: (   44/   video)".
void Typed::read_stat(std::string_view text) {
  std::string path;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line);
    if (trimmed.starts_with("File: ")) path = without_quotes(base::trim(trimmed.substr(6)));
    if (!trimmed.starts_with("Access: (") || path.empty() || !base::contains(trimmed, "/")) continue;
    statuses_[normal_path(path)] = status_of_access(trimmed);
    if (path.starts_with("/dev/")) partly_.insert("/dev");
  }
}

/// "/etc/modprobe.d/x.conf:blacklist nouveau": a part of a file, as is what stands of modules.dep.
void Typed::read_grep(const std::string& name, std::string_view text) {
  constexpr std::string_view kFolder = "_lib_modules_", kEnd = "_modules.dep";
  const std::size_t at = name.rfind(kFolder);
  if (at != std::string::npos && name.ends_with(kEnd) && name.size() > at + kFolder.size() + kEnd.size()) {
    const std::size_t from = at + kFolder.size();
    add_file(kModules + name.substr(from, name.size() - from - kEnd.size()) + "/modules.dep",
             std::string(text));
    partly_.insert("/lib/modules");
  }
  for (const std::string_view line : base::lines(text)) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with('/') || colon == std::string_view::npos || files_.size() > 1000) continue;
    files_[normal_path(std::string(line.substr(0, colon)))] += std::string(line.substr(colon + 1)) + "\n";
  }
}

void Typed::read_paths(std::string_view text) {
  for (const std::string_view line : base::lines(text)) {
    if (!line.starts_with('/')) continue;
    add_file(std::string(base::trim(line)), "");
    if (line.starts_with(kModules) || line.starts_with("/usr/lib/modules/")) partly_.insert("/lib/modules");
    if (line.starts_with("/usr/lib/modules/")) add_file(std::string(base::trim(line.substr(4))), "");
    const auto parts = base::split(base::trim(line), '/');
    if (line.starts_with("/sys/kernel/iommu_groups/") && parts.size() == 7)
      add_to_group(kPci + std::string(parts[6]) + "/", std::string(parts[4]));
  }
}

/// `lscpu` in the words of /proc/cpuinfo.
void Typed::read_cpu(std::string_view text) {
  std::string file = "processor : 0\n";
  bool guest = false;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line);
    const auto take = [&](std::string_view key, const char* as) {
      if (trimmed.starts_with(key))
        file += as + std::string(" : ") + std::string(base::trim(trimmed.substr(key.size()))) + "\n";
    };
    take("Vendor ID:", "vendor_id");
    take("Model name:", "model name");
    take("Address sizes:", "address sizes");
    guest = guest || trimmed.starts_with("Hypervisor vendor:");
  }
  add_file("/proc/cpuinfo", file + "flags : fpu" + (guest ? " hypervisor" : "") + "\n");
}

/// "filename:       /lib/modules/6.8.0-87-generic/updates/dkms/nvidia.ko.zst".
void Typed::read_module(std::string_view text) {
  for (const std::string_view line : base::lines(text)) {
    const std::string_view path =
        line.starts_with("filename:") ? base::trim(line.substr(9)) : base::trim(line);
    if (!path.starts_with(kModules)) continue;
    add_file(std::string(path), "");
    partly_.insert("/lib/modules");
  }
}

/// "nvidia/580.95.05, 6.8.0-87-generic, x86_64: installed": then its module is there.
void Typed::read_dkms(std::string_view text) {
  for (const std::string_view line : base::lines(text)) {
    const std::size_t colon = line.rfind(": installed");
    const auto parts = base::split(line.substr(0, colon), ',');
    if (colon == std::string_view::npos || parts.size() < 2 || !line.starts_with("nvidia")) continue;
    const std::string release(
        base::trim(parts[base::contains(parts[0], "/") ? 1 : std::min<std::size_t>(2, parts.size() - 1)]));
    add_file(kModules + release + "/updates/dkms/nvidia.ko", "");
    partly_.insert("/lib/modules");
  }
}

void Typed::read_pci(std::string_view text) {
  std::string folder;
  for (std::string_view line : base::lines(text)) {
    // "IOMMU Group 12 01:00.0 3D controller ..." of the loop over all groups that everybody uses.
    std::string group;
    const auto starts = base::words(line);
    if (starts.size() > 3 && starts[0] == "IOMMU" && base::equals_ignoring_case(starts[1], "group")) {
      group = std::string(starts[2].substr(0, starts[2].find(':')));
      line = line.substr(static_cast<std::size_t>(starts[3].data() - line.data()));
    }
    const std::string address = address_at(line);
    if (address.empty()) {
      if (!folder.empty()) read_pci_detail(line, folder);
      continue;
    }
    folder = kPci + address + "/";
    auto [vendor, device] = ids_in(line);
    std::string code = class_in(line.substr(std::min(line.size(), line.find(' '))));
    const auto words = base::words(line);  // "1b:00.0 0302: 10de:2330 (rev a1)" of `lspci -n`
    if (code.empty() && words.size() > 2 && words[1].size() == 5 && is_lower_hex(words[1].substr(0, 4))) {
      code = words[1].substr(0, 4);
      if (words[2].size() == 9) vendor = words[2].substr(0, 4), device = words[2].substr(5);
    }
    if (vendor.empty() && base::contains(line, "NVIDIA")) vendor = "10de";
    if (vendor.empty() && base::contains(line, "Mellanox")) vendor = "15b3";
    if (code.empty() || vendor.empty()) {
      folder.clear();
      continue;
    }
    add_file(folder + "vendor", "0x" + vendor);
    add_file(folder + "class", "0x" + code + "00");
    if (!device.empty()) add_file(folder + "device", "0x" + device);
    if (!group.empty()) add_to_group(folder, group);
    partly_.insert("/sys/bus/pci");
  }
}

/// What -k, -v and -vv add: driver, group and regions. The rest is judged by the parser of listings.
void Typed::read_pci_detail(std::string_view line, const std::string& folder) {
  const std::string_view text = base::trim(line);
  const auto behind = [text](std::string_view key) {
    return base::printable(base::trim(text.substr(key.size())), 60);
  };
  if (text.starts_with("Kernel driver in use:"))
    links_[folder + "driver"] = "../drivers/" + behind("Kernel driver in use:");
  if (text.starts_with("IOMMU group:")) add_to_group(folder, behind("IOMMU group:"));
  const std::size_t size_at = text.find("[size=");
  if (!text.starts_with("Region ") || size_at == std::string_view::npos) return;
  // "Region 1: Memory at 2000000000 (64-bit, prefetchable) [size=128G]" as a line of `resource`.
  const auto size =
      base::parse_number_and_unit(text.substr(size_at + 6, text.find(']', size_at) - size_at - 6));
  const std::size_t at = text.find("Memory at ");
  if (!size || at == std::string_view::npos || !(size->number >= 1 && size->number < 5000)) return;
  const std::size_t power = size->unit.empty() ? 0 : std::string_view("BKMGT").find(size->unit.front());
  if (power == std::string_view::npos) return;
  const std::uint64_t bytes = static_cast<std::uint64_t>(size->number) << (10 * power);
  const std::string_view rest = text.substr(at + 10);
  const std::uint64_t start = base::parse_hex(rest.substr(0, rest.find(' '))).value_or(0);
  files_[folder + "resource"] += fmt::format("0x{:x} 0x{:x} 0x200\n", start, start + bytes - 1);
}

/// Each member of a group stands below the group's own folder too.
void Typed::add_to_group(const std::string& folder, const std::string& group) {
  constexpr const char* kGroups = "/sys/kernel/iommu_groups/";
  const std::string address =
      folder.substr(std::string_view(kPci).size(), folder.rfind('/') - std::string_view(kPci).size());
  links_[folder + "iommu_group"] = kGroups + group;
  add_file(kGroups + group + "/devices/" + address, "");
}

/// `ibstat`, `ibv_devinfo`, `ibv_devices`, `ibdev2netdev` and `rdma link` name the devices; the first two
/// tell of their ports.
void Typed::read_rdma(std::string_view text) {
  std::string device, port;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line);
    const auto words = base::words(trimmed);
    if (words.empty()) continue;
    const auto value = [trimmed] { return std::string(base::trim(trimmed.substr(trimmed.find(':') + 1))); };
    if (words[0] == "CA" && words.size() > 1 && words[1].size() > 2)
      device = words[1].substr(1, words[1].size() - 2);
    if (words[0] == "hca_id:" && words.size() > 1) device = words[1];
    const bool row = words[0].find("mlx5_") == 0 || (words[0] == "link" && words.size() > 1);
    if (row) device = std::string(words[0] == "link" ? words[1].substr(0, words[1].find('/')) : words[0]);
    if (device.empty()) continue;
    if (row) port = "1";
    if (words[0] == "Port" && words.size() == 2 && words[1].ends_with(':'))
      port = words[1].substr(0, words[1].size() - 1);
    if (words[0] == "port:" && words.size() == 2) port = words[1];
    if (port.empty()) continue;
    const std::string folder = kRdma + device + "/ports/" + port + "/";
    partly_.insert("/sys/class/infiniband");
    add_file(folder + "port", port);
    if (trimmed.starts_with("State:")) add_file(folder + "state", "4: " + value());
    if (trimmed.starts_with("state:"))
      add_file(folder + "state",
               "4: " + (base::contains(trimmed, "PORT_ACTIVE") ? std::string("ACTIVE") : value()));
    if (base::contains(trimmed, " state ACTIVE ") || base::contains(trimmed, "(Up)"))
      add_file(folder + "state", "4: ACTIVE");
    if (trimmed.starts_with("Rate:")) add_file(folder + "rate", value() + " Gb/sec");
    if (trimmed.starts_with("Link layer:") || trimmed.starts_with("link_layer:"))
      add_file(folder + "link_layer", value());
  }
}

}  // namespace gpuwright::host
