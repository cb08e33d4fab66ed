// A striped array is lost with one of its drives. Source: mdadm(8), mdadm.conf(5), fstab(5).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_storage.h"

#include "base/text.h"
#include "rules/machine_words.h"

#include <algorithm>

namespace gpuwright::rules {

namespace {

/// "ARRAY /dev/md1 level=raid0 ..." names what an array that does not run has been.
std::string promised_level(const model::StorageFacts& storage, const std::string& array) {
  for (const model::ExpectedStorage& expected : model::each(storage.expected)) {
    if (expected.key() == array) return model::key_text(expected.device);
  }
  return {};
}

void array_fails(Look& look, const std::string& array, const std::string& level,
                 const model::Field<std::string>& proof) {
  look.fails(level.empty() || level == "raid0" || level == "0" || level == "linear"
                 ? "disk.striped_array_lost"
                 : "disk.array_not_running")
      .with("array", array)
      .with("level", level)
      .proof(proof);
}

/// Mounted on demand, or left to somebody else.
bool is_optional(const model::ExpectedStorage& mount) {
  const std::string options = "," + model::key_text(mount.options) + ",";
  return base::contains(options, ",noauto,") || base::contains(options, "x-systemd.automount");
}

/// A mount of fstab that is not there; where its array does not run, that is the reason.
void mount_fails(Look& look, const model::StorageFacts& storage, const model::ExpectedStorage& mount) {
  const std::string device = model::key_text(mount.device);
  const std::string array = device.starts_with("/dev/md") ? device.substr(5) : std::string();
  const auto& raids = model::each(storage.raids);
  const bool runs = std::any_of(raids.begin(), raids.end(), [&array](const model::RaidFacts& raid) {
    return raid.key() == array && model::key_text(raid.state) != "inactive";
  });
  // A name below /dev/md/ stands for a number that is not known: judged where no array runs at all.
  const bool none_runs = std::none_of(raids.begin(), raids.end(), [](const model::RaidFacts& raid) {
    return model::key_text(raid.state) != "inactive";
  });
  const std::string name = array.substr(array.rfind('/') + 1);
  if (!array.empty() && !runs && (!base::contains(array, "/") || (storage.raids.known() && none_runs)))
    array_fails(look, name, promised_level(storage, name), mount.device);
  look.fails("disk.mount_missing").with("mount", mount.key()).with("device", device).proof(mount.name);
}

}  // namespace

model::Verdict check_arrays_run(Look look, const Situation& situation) {
  const model::StorageFacts& storage = situation.machine.storage;
  const auto& raids = model::each(storage.raids);
  const auto& expected = model::each(storage.expected);
  if (raids.empty() && expected.empty()) return look.not_applicable();
  for (const model::RaidFacts& raid : raids) {
    if (model::key_text(raid.state) == "inactive")
      array_fails(look, raid.key(), promised_level(storage, raid.key()), raid.state);
  }
  for (const model::ExpectedStorage& promise : expected) {
    if (!promise.present.known() || promise.present.value() || is_optional(promise)) continue;
    if (promise.key().starts_with('/'))
      mount_fails(look, storage, promise);
    else
      array_fails(look, promise.key(), model::key_text(promise.device), promise.name);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
