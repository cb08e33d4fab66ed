// What all sources share; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/source.h"

#include "base/text.h"
#include "kit/hash.h"

namespace gpuwright::host {

base::Result<std::string> Source::gpu_answers() {
  return base::make_error(base::ErrorKind::Unsupported, "no GPU can be asked here", "NVML");
}

base::Result<std::string> Source::device_holders() {
  return base::make_error(base::ErrorKind::Unsupported, "no processes can be seen here", "/proc");
}

base::Result<base::FileStatus> Source::status_of(const std::string& path) {
  return base::make_error(base::ErrorKind::Unsupported, "nothing here tells what a path is", path);
}

base::Result<std::string> Source::read_file(const std::string& path, std::size_t limit) {
  GPUWRIGHT_TRY(auto stream, open_file(path));
  auto text = base::read_all(*stream, limit);
  if (!text && text.error().where.empty())
    return base::make_error(text.error().kind, text.error().message, path);
  return text;
}

namespace {

void append_escaped(char letter, std::string& slug) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                     (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '.' || letter == ',' ||
                     letter == '=';
  if (plain) {
    slug += letter;
    return;
  }
  slug += '%';
  slug += kDigits[static_cast<unsigned char>(letter) >> 4];
  slug += kDigits[static_cast<unsigned char>(letter) & 15];
}

}  // namespace

std::string command_slug(const std::vector<std::string>& argv) {
  std::string slug;
  for (const auto& argument : argv) {
    if (!slug.empty()) slug += '_';
    for (const char letter : argument) append_escaped(letter, slug);
  }
  constexpr std::size_t kLongest = 120;  // file names end at 255 bytes, and escapes may triple it again
  constexpr std::size_t kHead = 80;
  if (slug.size() > kLongest) slug = slug.substr(0, kHead) + "-" + kit::sha256_hex(slug).substr(0, 16);
  return slug;
}

std::string normal_path(const std::string& path) {
  std::vector<std::string> kept;
  for (const auto part : base::split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.emplace_back(part);
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  return "/" + base::join(kept, "/");
}

}  // namespace gpuwright::host
