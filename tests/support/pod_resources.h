// Messages as kubelet writes them (v1.PodResourcesLister), for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::tests::pods {

/// A field of bytes.
inline std::string bytes(std::uint32_t number, const std::string& content) {
  const auto varint = [](std::uint64_t value) {
    std::string text;
    for (; value >= 128; value >>= 7U) text += static_cast<char>((value & 127U) | 128U);
    return text + static_cast<char>(value);
  };
  return varint(std::uint64_t{number} << 3U | 2U) + varint(content.size()) + content;
}

inline std::string devices(const std::string& resource, const std::vector<std::string>& ids) {
  std::string content = bytes(1, resource);
  for (const std::string& id : ids) content += bytes(2, id);
  return bytes(2, content + bytes(3, std::string("\x0a\x02\x08\x01", 4)));
}

inline std::string claim(const std::string& driver, const std::string& pool, const std::string& device,
                         const std::string& cdi) {
  const std::string resource =
      (cdi.empty() ? "" : bytes(1, bytes(1, cdi))) + bytes(2, driver) + bytes(3, pool) + bytes(4, device);
  return bytes(5, bytes(1, "claim") + bytes(2, "research") + bytes(4, resource));
}

/// `content`: devices and claims.
inline std::string container(const std::string& name, const std::string& content) {
  return bytes(3, bytes(1, name) + content + std::string("\x18\x01", 2));
}

/// `content`: containers.
inline std::string pod(const std::string& name, const std::string& name_space, const std::string& content) {
  return bytes(1, bytes(1, name) + bytes(2, name_space) + content);
}

}  // namespace gpuwright::tests::pods
