// What says who uses a GPU: the groups of a process, and kubelet's list.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/cgroup_path.h"
#include "parse/pod_resources.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace gpuwright;  // NOLINT(google-build-using-namespace): a program of one file

void must_be_short(const std::string& text) {
  constexpr std::size_t kMost = 260;
  if (text.size() > kMost || base::printable(text, kMost) != text) std::abort();
}

void try_groups(const std::string& text) {
  const parse::CgroupOwner owner = parse::read_cgroup(text);
  for (const std::string* one :
       {&owner.container, &owner.runtime, &owner.pod_uid, &owner.pod_qos, &owner.slurm_job, &owner.slurm_step,
        &owner.slurm_task, &owner.slurm_node, &owner.machine, &owner.unit, &owner.slice, &owner.session})
    must_be_short(*one);
  for (const std::string* path : {&owner.unified_path, &owner.cpu_path}) {
    if (!path->empty() && path->front() != '/') std::abort();
  }
}

void try_pods(const std::string& message) {
  const auto pods = parse::read_pod_resources(message);
  if (!pods) return;
  for (const parse::GivenContainer& container : *pods) {
    must_be_short(container.pod);
    must_be_short(container.pod_namespace);
    must_be_short(container.container);
    if (container.devices.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = gpuwright::fuzz::own_copy(data, size);
  try_groups(text);
  try_groups("0::/" + text);
  try_pods(text);
  return 0;
}
