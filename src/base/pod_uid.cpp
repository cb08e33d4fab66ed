// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "base/pod_uid.h"

#include "base/text.h"

namespace gpuwright::base {

std::string pod_uid_of(std::string_view control_group) {
  constexpr std::size_t kUid = 36;
  if (!contains(control_group, "kubepods")) return {};
  for (std::size_t at = control_group.find("pod"); at != std::string_view::npos;
       at = control_group.find("pod", at + 3)) {
    std::string uid = replace_all(std::string(control_group.substr(at + 3, kUid)), "_", "-");
    const bool whole =
        uid.size() == kUid && uid[8] == '-' && uid[13] == '-' && uid[18] == '-' && uid[23] == '-';
    if (whole) return uid;
  }
  return {};
}

}  // namespace gpuwright::base
