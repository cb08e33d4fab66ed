// Tar archives as an attacker writes them: any name, any kind of member, any claim.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuwright::tests {

struct TarMember {
  std::string name{};
  std::string content{};
  char type = '0';     ///< '0' file, '1' hard link, '2' symbolic link, '3' device, '5' folder, '6' pipe
  std::string link{};  ///< target of a link
  std::optional<std::uint64_t> claimed_size{};  ///< instead of the content's
};

/// Header, content and padding of one member.
std::string tar_member(const TarMember& member);
/// The two empty blocks at an archive's end.
std::string tar_end();

}  // namespace gpuwright::tests
