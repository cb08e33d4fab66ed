// SPDX-License-Identifier: Apache-2.0
#include "support/tar.h"

#include <fmt/core.h>

namespace gpuwright::tests {

std::string tar_member(const TarMember& member) {
  std::string block(512, '\0');
  const auto put = [&block](std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  put(0, member.name.substr(0, 100));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", member.claimed_size.value_or(member.content.size())));
  put(136, "00000000000");
  put(148, "        ");
  block[156] = member.type;
  put(157, member.link.substr(0, 100));
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block + member.content + std::string((512 - member.content.size() % 512) % 512, '\0');
}

std::string tar_end() {
  return std::string(1024, '\0');
}

}  // namespace gpuwright::tests
