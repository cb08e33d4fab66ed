// Disks, software RAID and mounts. Source: Documentation/ABI/testing/sysfs-block,
// Documentation/admin-guide/md (mdstat), proc_pid_mounts(5), df(1).
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "facts/collector.h"

#include <algorithm>
#include <array>
#include <map>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

/// The last PCI address on the real path of a block device.
std::optional<std::string> address_on(const std::string& path) {
  std::optional<std::string> last;
  for (const std::string_view part : base::split(path, '/')) {
    const auto address = base::PciAddress::parse(part);
    if (address && base::contains(part, ".")) last = address->text();
  }
  return last;
}

model::DiskFacts disk_of(Probe& probe, const std::string& name) {
  const std::string folder = "/sys/block/" + name + "/";
  constexpr std::int64_t kSector = 512;  // `size` counts these, whatever the disk's own sectors are
  model::DiskFacts disk;
  disk.name = probe.found(name, folder);
  disk.model = probe.text(folder + "device/model");
  disk.firmware = probe.text(folder + (name.starts_with("nvme") ? "device/firmware_rev" : "device/rev"));
  disk.size = Probe::read_as<base::Bytes>(probe.integer(folder + "size"), [](std::int64_t sectors) {
    return sectors < 0 || sectors > (std::int64_t{1} << 53) ? std::nullopt
                                                            : std::optional(base::Bytes(sectors * kSector));
  });
  disk.rotational = probe.flag(folder + "queue/rotational");
  const auto real = probe.source().read_link("/sys/block/" + name);
  disk.pci = real ? Probe::read_as<std::string>(probe.found(*real, folder), address_on)
                  : probe.absent<std::string>(reason_of(real.error().kind), folder, real.error().message);
  disk.numa_node = disk.pci.known() ? probe.integer("/sys/bus/pci/devices/" + disk.pci.value() + "/numa_node")
                                    : Probe::as_absent<std::int64_t>(disk.pci);
  disk.transport = probe.found(std::string(name.starts_with("nvme") ? "nvme"
                                           : name.starts_with("vd") ? "virtio"
                                                                    : "scsi"),
                               folder);
  return disk;
}

Field<std::vector<model::DiskFacts>> disks_of(Probe& probe) {
  const auto names = probe.names("/sys/block");
  if (!names.known()) return Probe::as_absent<std::vector<model::DiskFacts>>(names);
  std::vector<model::DiskFacts> disks;
  for (const std::string& name : names.value()) {
    const bool real = name.starts_with("nvme") || name.starts_with("sd") || name.starts_with("vd");
    if (real && disks.size() < 256) disks.push_back(disk_of(probe, name));
  }
  return Probe::derived(std::move(disks), names);
}

using Words = std::vector<std::string_view>;

bool is_raid(const Words& words) {
  return words.size() >= 3 && words[0].starts_with("md") && words[1] == ":";
}

/// "md0 : active raid0 nvme1n1[1] nvme0n1[0]".
model::RaidFacts raid_of(const Words& words, std::int32_t place) {
  const std::size_t level_at = words.size() > 3 && words[3].starts_with('(') ? 4 : 3;
  model::RaidFacts raid;
  raid.name = Field<std::string>(base::printable(words[0], 40), place);
  raid.state = Field<std::string>(base::printable(words[2], 40), place);
  const bool told = words[2] == "active" && words.size() > level_at;
  raid.level = told ? Field<std::string>(base::printable(words[level_at], 40), place)
                    : Field<std::string>(Absent{AbsentReason::NotFound}, place);
  const auto members = std::count_if(words.begin(), words.end(), [](std::string_view word) {
    return base::contains(word, "[") && !base::contains(word, "(F)") && word.front() != '[';
  });
  raid.members = Field<std::int64_t>(members, place);
  raid.members_wanted = Field<std::int64_t>(members, place);
  raid.resync = Field<std::string>("none", place);
  return raid;
}

/// "  7501211648 blocks super 1.2 [3/2] [UU_]" and the line of a recovery, which stand below it.
void read_raid_line(Probe& probe, std::string_view line, model::RaidFacts& raid) {
  for (const std::string_view word : base::words(line)) {  // "[3/2]": three wanted, two there
    const std::size_t slash = word.find('/');
    const auto wanted = word.starts_with('[') && slash != std::string_view::npos
                            ? base::parse_int(word.substr(1, slash - 1))
                            : std::nullopt;
    if (wanted) raid.members_wanted = probe.found(*wanted, "/proc/mdstat", line);
    if (word == "recovery" || word == "resync" || word == "reshape")
      raid.resync = probe.found(base::printable(base::trim(line), 120), "/proc/mdstat", line);
  }
}

Field<std::vector<model::RaidFacts>> raids_of(Probe& probe) {
  constexpr std::size_t kMostRaids = 64;
  const auto text = probe.text("/proc/mdstat");
  if (!text.known()) return Probe::as_absent<std::vector<model::RaidFacts>>(text);
  std::vector<model::RaidFacts> raids;
  for (const std::string_view line : base::lines(text.value())) {
    const Words words = base::words(line);
    if (is_raid(words) && raids.size() < kMostRaids) {
      raids.push_back(raid_of(words, probe.note("/proc/mdstat", line)));
    } else if (!raids.empty()) {
      read_raid_line(probe, line, raids.back());
    }
  }
  return Probe::derived(std::move(raids), text);
}

struct Space {
  std::int64_t size = 0, available = 0;
};

/// `df` about these mount points alone: of all file systems it would also ask those that hang.
Field<std::string> space_told(Probe& probe, const List& points) {
  if (points.empty()) return Absent{AbsentReason::NotFound};
  std::vector<std::string> argv = {"df", "-l", "-B1", "--output=target,size,avail"};
  argv.insert(argv.end(), points.begin(), points.end());
  return probe.said(argv, std::chrono::seconds(2));
}

/// Sizes by mount point, which may hold blanks.
std::map<std::string, Space> spaces_of(const Field<std::string>& table) {
  std::map<std::string, Space> spaces;
  if (!table.known()) return spaces;
  for (const std::string_view line : base::lines(table.value())) {
    const auto parts = base::words(line);
    if (parts.size() < 3) continue;
    const std::string_view size_word = parts[parts.size() - 2];
    const auto size = base::parse_int(size_word), available = base::parse_int(parts.back());
    const auto point = base::trim(line.substr(0, static_cast<std::size_t>(size_word.data() - line.data())));
    if (size && available) spaces[std::string(point)] = Space{*size, *available};
  }
  return spaces;
}

/// A field of fstab(5) and of /proc/self/mounts: blanks are written "\\040".
std::string unescaped(std::string_view text) {
  return base::printable(base::replace_all(std::string(text), "\\040", " "), 200);
}

bool is_local(std::string_view type) {
  constexpr std::array<std::string_view, 6> kTypes = {"ext4", "ext3", "xfs", "btrfs", "zfs", "vfat"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

/// Holds files of its own: not proc, tmpfs, overlay and their like.
bool is_real(std::string_view type) {
  constexpr std::array<std::string_view, 8> kNetwork = {"nfs",    "nfs4", "lustre", "gpfs",
                                                        "beegfs", "ceph", "wekafs", "fuse.glusterfs"};
  return is_local(type) || std::find(kNetwork.begin(), kNetwork.end(), type) != kNetwork.end();
}

model::MountFacts mount_of(Probe& probe, std::string_view line, const Words& parts) {
  model::MountFacts mount;
  mount.point = probe.found(unescaped(parts[1]), "/proc/self/mounts", line);
  mount.device = Probe::derived(unescaped(parts[0]), mount.point);
  mount.type = Probe::derived(std::string(parts[2]), mount.point);
  List options;
  for (const std::string_view option : base::split(parts[3], ','))
    options.push_back(base::printable(option, 80));
  mount.options = Probe::derived(std::move(options), mount.point);
  return mount;
}

/// A network file system whose server is gone would hang the question, so only local ones are asked for.
void add_spaces(Probe& probe, std::vector<model::MountFacts>& mounts) {
  List points;
  for (const model::MountFacts& mount : mounts) {
    if (is_local(mount.type.value())) points.push_back(mount.key());
  }
  const auto told = space_told(probe, points);
  const auto spaces = spaces_of(told);
  for (model::MountFacts& mount : mounts) {
    const auto space = spaces.find(mount.key());
    const auto bytes = [&](std::int64_t Space::*member) {
      if (space != spaces.end()) return Probe::derived(base::Bytes(space->second.*member), told);
      if (is_local(mount.type.value()) && !told.known()) return Probe::as_absent<base::Bytes>(told);
      return Field<base::Bytes>(Absent{AbsentReason::Unsupported},
                                probe.note("df", "of local file systems only"));
    };
    mount.size = bytes(&Space::size);
    mount.available = bytes(&Space::available);
  }
}

Field<std::vector<model::MountFacts>> mounts_of(Probe& probe) {
  constexpr std::size_t kMostMounts = 256;
  auto table = probe.text("/proc/self/mounts", Probe::kLarge);
  if (!table.known()) table = probe.text("/proc/mounts", Probe::kLarge);  // what people copy
  if (!table.known()) return Probe::as_absent<std::vector<model::MountFacts>>(table);
  std::vector<model::MountFacts> mounts;
  for (const std::string_view line : base::lines(table.value())) {
    const Words parts = base::words(line);
    if (parts.size() >= 4 && is_real(parts[2]) && mounts.size() < kMostMounts)
      mounts.push_back(mount_of(probe, line, parts));
  }
  add_spaces(probe, mounts);
  return Probe::derived(std::move(mounts), table);
}

using Expected = std::vector<model::ExpectedStorage>;

bool runs(const model::StorageFacts& storage, std::string_view array) {
  const auto& raids = model::each(storage.raids);
  return std::any_of(raids.begin(), raids.end(), [array](const model::RaidFacts& raid) {
    return raid.key() == array && model::key_text(raid.state) != "inactive";
  });
}

/// "/dev/md1 /scratch xfs noatime,nofail 0 2" of fstab: local disks and network file systems, not swap.
void expect_mounts(const Field<std::string>& table, Probe& probe, const model::StorageFacts& storage,
                   Expected& expected) {
  const auto& mounts = model::each(storage.mounts);
  for (const std::string_view line :
       table.known() ? base::lines(table.value()) : std::vector<std::string_view>()) {
    const auto parts = base::words(line);
    if (parts.size() < 4 || parts[0].starts_with('#') || !is_real(parts[2]) || expected.size() >= 256)
      continue;
    model::ExpectedStorage mount;
    mount.name = probe.found(unescaped(parts[1]), "/etc/fstab", line);
    mount.device = Probe::derived(unescaped(parts[0]), mount.name);
    mount.options = Probe::derived(base::printable(parts[3], 200), mount.name);
    const bool there = std::any_of(mounts.begin(), mounts.end(),
                                   [&](const model::MountFacts& one) { return one.key() == mount.key(); });
    mount.present =
        storage.mounts.known() ? Probe::derived(there, mount.name) : Probe::as_absent<bool>(storage.mounts);
    expected.push_back(std::move(mount));
  }
}

/// "ARRAY /dev/md1 level=raid0 num-devices=2 metadata=1.2 UUID=..." of mdadm.conf(5). Names like /dev/md/data
/// are links to numbers that only a running array has: such an array is missed only where none runs.
void expect_arrays(const Field<std::string>& text, Probe& probe, const model::StorageFacts& storage,
                   Expected& expected) {
  for (const std::string_view line :
       text.known() ? base::lines(text.value()) : std::vector<std::string_view>()) {
    const auto parts = base::words(line);
    if (parts.size() < 2 || parts[0] != "ARRAY" || !parts[1].starts_with("/dev/md") || expected.size() >= 256)
      continue;
    std::string_view name = parts[1].substr(5);
    const bool by_name = name.starts_with("md/");
    if (by_name) name.remove_prefix(3);
    const auto& raids = model::each(storage.raids);
    const bool any_runs = std::any_of(
        raids.begin(), raids.end(), [&](const model::RaidFacts& raid) { return runs(storage, raid.key()); });
    if (by_name && any_runs) continue;
    model::ExpectedStorage array;
    array.name = probe.found(base::printable(name, 40), "mdadm.conf", line);
    array.device = Field<std::string>(Absent{AbsentReason::NotFound}, array.name.provenance());
    for (const std::string_view part : parts) {
      if (part.starts_with("level="))
        array.device = Probe::derived(base::printable(part.substr(6), 20), array.name);
    }
    array.options = Field<std::string>(Absent{AbsentReason::Unsupported}, array.name.provenance());
    array.present = storage.raids.known() ? Probe::derived(runs(storage, name), array.name)
                                          : Probe::as_absent<bool>(storage.raids);
    expected.push_back(std::move(array));
  }
}

Field<Expected> expected_of(Probe& probe, const model::StorageFacts& storage) {
  const auto table = probe.text("/etc/fstab");
  auto arrays = probe.text("/etc/mdadm/mdadm.conf");
  if (!arrays.known()) arrays = probe.text("/etc/mdadm.conf");
  if (!table.known() && !arrays.known()) return Probe::as_absent<Expected>(table);
  Expected expected;
  expect_mounts(table, probe, storage, expected);
  expect_arrays(arrays, probe, storage, expected);
  return Probe::derived(std::move(expected), table.known() ? table : arrays);
}

}  // namespace

void collect_storage(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  machine.storage.disks = disks_of(probe);
  machine.storage.raids = raids_of(probe);
  machine.storage.mounts = mounts_of(probe);
  machine.storage.expected = expected_of(probe, machine.storage);
}

}  // namespace gpuwright::facts
