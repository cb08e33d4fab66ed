// Replacing names by a keyed hash of the same shape; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/redact.h"

#include "base/text.h"
#include "host/name_spans.h"
#include "kit/hash.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gpuwright::host {

namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}
bool is_upper(char letter) {
  return letter >= 'A' && letter <= 'Z';
}
bool is_lower(char letter) {
  return letter >= 'a' && letter <= 'z';
}
bool is_alnum(char letter) {
  return is_digit(letter) || is_upper(letter) || is_lower(letter);
}
bool is_hex(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}

/// As many pseudo-random bytes as wanted, from a hash of class and name.
class Bytes {
 public:
  Bytes(std::string_view key, std::string_view what, std::string_view name)
      : key_(key), seed_(std::string(what) + ":" + std::string(name)) {}
  unsigned next() {
    if (at_ == block_.size()) {
      block_ = kit::keyed_hash(key_, seed_ + "/" + std::to_string(round_++));
      at_ = 0;
    }
    return static_cast<unsigned char>(block_[at_++]);
  }
  unsigned below(unsigned limit) { return ((next() << 8) | next()) % limit; }

 private:
  std::string_view key_;
  std::string seed_;
  std::string block_;
  std::size_t at_ = 0;
  int round_ = 0;
};

std::string tag(std::string_view key, std::string_view what, std::string_view name, std::size_t digits) {
  return kit::to_hex(kit::keyed_hash(key, std::string(what) + ":" + std::string(name))).substr(0, digits);
}

/// A nothing that must stay a nothing: only zeros, or only f (beside separators).
bool is_blank_id(std::string_view text) {
  char first = '\0';
  for (const char letter : text) {
    if (!is_alnum(letter)) continue;
    if (first == '\0') first = letter;
    if (letter != first || (letter != '0' && letter != 'f' && letter != 'F')) return false;
  }
  return true;
}

/// A keyed permutation of 0..255, applied to one byte: different octets stay different, whatever the key.
std::uint8_t permuted(std::string_view key, std::string_view prefix, std::uint8_t octet) {
  std::array<std::uint8_t, 256> table = {};
  std::iota(table.begin(), table.end(), static_cast<std::uint8_t>(0));
  Bytes bytes(key, "octet", prefix);
  for (unsigned at = 255; at > 0; --at) std::swap(table[at], table[bytes.below(at + 1)]);
  return table[octet];
}

/// Words that evidence is full of: a host or user of that name is replaced only where its place says what it
/// is.
bool too_common_for_everywhere(std::string_view name) {
  static constexpr std::array<std::string_view, 59> kWords = {
      "gpu",      "gpus",  "cuda",  "nvidia",  "node",   "nodes",   "server",  "master", "worker", "train",
      "training", "test",  "user",  "users",   "host",   "docker",  "slurm",   "kernel", "linux",  "ubuntu",
      "data",     "model", "job",   "jobs",    "python", "torch",   "nccl",    "home",   "local",  "system",
      "admin",    "dev",   "build", "login",   "head",   "compute", "cluster", "pcie",   "nvlink", "error",
      "info",     "name",  "a100",  "h100",    "h200",   "b200",    "b300",    "gb200",  "v100",   "l40s",
      "dgx",      "hgx",   "main",  "version", "driver", "memory",  "process", "device", "link"};
  if (name.size() < 3) return true;
  const std::string low = base::lower(name);
  if (std::find(kWords.begin(), kWords.end(), low) != kWords.end()) return true;
  // A device's name: eth0, mlx5_0, gpu3, cuda:0 ...
  for (const std::string_view device :
       {"eth",  "ib",   "mlx", "mlx5_", "mlx4_", "nvidia", "cuda", "rank", "cpu",      "gpu",
        "numa", "nvme", "eno", "ens",   "bond",  "tty",    "port", "link", "nvswitch", "pci"}) {
    if (!low.starts_with(device)) continue;
    const auto rest = std::string_view(low).substr(device.size());
    const bool number = !rest.empty() && rest.size() <= 2 && std::all_of(rest.begin(), rest.end(), is_digit);
    if (number && (rest.size() == 1 || rest.front() != '0')) return true;
  }
  return false;
}

/// End of the domain behind a host name that ends at `end`: ".rack7.example.org", ".local"; `end` itself
/// where none follows ("node1.log").
std::size_t domain_end(std::string_view line, std::size_t end) {
  static constexpr std::array<std::string_view, 14> kExtensions = {
      "log", "txt", "gz", "tar", "tgz", "zip", "xz", "zst", "bz2", "json", "conf", "yaml", "py", "out"};
  static constexpr std::array<std::string_view, 5> kPrivate = {"local", "internal", "lan", "corp",
                                                               "localdomain"};
  std::size_t at = end;
  std::size_t labels = 0;
  std::string_view last;
  while (at + 1 < line.size() && line[at] == '.' && is_alnum(line[at + 1])) {
    std::size_t label_end = at + 1;
    while (label_end < line.size() && (is_alnum(line[label_end]) || line[label_end] == '-')) ++label_end;
    last = line.substr(at + 1, label_end - at - 1);
    at = label_end;
    ++labels;
  }
  const bool word = last.size() >= 2 && std::none_of(last.begin(), last.end(), is_digit);
  const bool extension = std::find(kExtensions.begin(), kExtensions.end(), last) != kExtensions.end();
  const bool known = std::find(kPrivate.begin(), kPrivate.end(), last) != kPrivate.end();
  return word && !extension && (labels >= 2 || known) ? at : end;
}

std::string like_hex(std::string_view key, std::string_view what, std::string_view text) {
  std::string digits;
  for (const char letter : text) {
    if (is_hex(letter)) digits += letter;
  }
  Bytes bytes(key, what, base::lower(digits));
  const bool upper = std::any_of(text.begin(), text.end(), is_upper);
  std::string result(text);
  for (char& letter : result) {
    if (is_hex(letter)) letter = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[bytes.next() & 15];
  }
  return result;
}

/// Sorts spans and drops those that begin inside an earlier one.
void make_disjoint(std::vector<NameSpan>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const NameSpan& a, const NameSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::size_t kept = 0;
  for (const auto& span : spans) {
    if (span.end <= span.begin || (kept > 0 && span.begin < spans[kept - 1].end)) continue;
    spans[kept++] = span;
  }
  spans.resize(kept);
}

}  // namespace

Redactor::Redactor(std::string key, const KnownNames& known) : key_(std::move(key)) {
  for (const auto& name : known.hosts) note_host(name);
  for (const auto& name : known.users) {
    if (!is_common_user(name)) known_.users.insert(name);
  }
  index();
}

void Redactor::note_host(std::string_view name) {
  if (is_common_host(name)) return;
  known_.hosts.emplace(name);
  const auto dot = name.find('.');
  if (dot != std::string_view::npos && !is_common_host(name.substr(0, dot)))
    known_.hosts.emplace(name.substr(0, dot));
}

void Redactor::index() {
  words_.clear();
  starts_.fill(false);
  const auto add = [this](const std::string& name, Word word) {
    if (too_common_for_everywhere(name)) return;
    words_.emplace(name, word);
    starts_[static_cast<unsigned char>(name.front())] = true;
  };
  for (const auto& name : serials_) add(name, Word::Serial);
  for (const auto& name : known_.hosts) add(name, Word::Host);
  for (const auto& name : known_.users) add(name, Word::User);
}

void Redactor::note(NameKind kind, std::string_view name) {
  if (kind == NameKind::User) known_.users.emplace(name);
  if (kind == NameKind::Serial && !is_blank_id(name)) serials_.emplace(name);
  if (kind == NameKind::Host) note_host(name);
  if (kind != NameKind::HostList) return;
  // Of "gpu[001-004],login1" only what stands outside brackets is a name.
  for (const auto part : base::split(name, ',')) {
    if (part.find_first_of("[]") == std::string_view::npos) note_host(part);
  }
}

void Redactor::learn(std::string_view text) {
  LabelledNames labels;
  const std::size_t before = known_.hosts.size() + known_.users.size() + serials_.size();
  for (const auto line : base::lines(text)) {
    for (const auto& span : labels.next(line)) {
      note(span.kind, line.substr(span.begin, span.end - span.begin));
    }
  }
  if (known_.hosts.size() + known_.users.size() + serials_.size() != before) index();
}

std::string Redactor::host(std::string_view name) const {
  if (is_common_host(name)) return std::string(name);
  const std::string low = base::lower(name);
  const auto dot = low.find('.');
  std::string result = "host-" + tag(key_, "host", std::string_view(low).substr(0, dot), 8);
  if (dot != std::string::npos)
    result += ".dom-" + tag(key_, "domain", std::string_view(low).substr(dot + 1), 6) + ".invalid";
  return result;
}

std::string Redactor::host_list(std::string_view text) const {
  // "gpu[001-004],login1": each name outside brackets; the numbers in brackets stay.
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '[') {
      const auto close = std::min(text.find(']', at), text.size() - 1);
      result += text.substr(at, close + 1 - at);
      at = close + 1;
      continue;
    }
    const auto end = std::min(text.find_first_of("[],", at), text.size());
    if (end > at) result += host(text.substr(at, end - at));
    if (end < text.size() && text[end] != '[') result += text[end];
    at = end + (end < text.size() && text[end] != '[' ? 1 : 0);
  }
  return result;
}

std::string Redactor::user(std::string_view name) const {
  return is_common_user(name) ? std::string(name) : "user_" + tag(key_, "user", name, 8);
}

std::string Redactor::process(std::string_view name) const {
  // The kernel cuts names to 15 bytes: equal beginnings shall stay equal, and the replacement must fit.
  return is_common_process(name) ? std::string(name) : "proc_" + tag(key_, "process", name.substr(0, 15), 8);
}

std::string Redactor::serial(std::string_view number) const {
  if (is_blank_id(number)) return std::string(number);
  Bytes bytes(key_, "serial", number);
  std::string result(number);
  for (char& letter : result) {
    if (is_digit(letter)) {
      letter = static_cast<char>('0' + bytes.below(10));
    } else if (is_upper(letter)) {
      letter = static_cast<char>('A' + bytes.below(26));
    } else if (is_lower(letter)) {
      letter = static_cast<char>('a' + bytes.below(26));
    }
  }
  return result;
}

std::string Redactor::ipv4(std::string_view address) const {
  std::vector<std::uint8_t> octets;
  for (const auto part : base::split(address, '.'))
    octets.push_back(static_cast<std::uint8_t>(base::parse_int(part).value_or(0)));
  if (octets.size() != 4) return std::string(address);
  // Loopback, "any", netmasks and multicast name nobody.
  if (octets[0] == 0 || octets[0] == 127 || octets[0] >= 224) return std::string(address);
  // Addresses of one network stay in one network: each octet is permuted under the octets before it.
  std::string result = "10";
  std::string prefix(1, static_cast<char>(octets[0]));
  for (std::size_t at = 1; at < 4; ++at) {
    result += "." + std::to_string(permuted(key_, prefix, octets[at]));
    prefix += static_cast<char>(octets[at]);
  }
  return result;
}

std::string Redactor::ipv6(std::string_view address) const {
  std::array<unsigned char, 16> bytes = {};
  if (::inet_pton(AF_INET6, std::string(address).c_str(), bytes.data()) != 1 || bytes[0] == 0 ||
      bytes[0] == 0xff)
    return std::string(address);
  const bool link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
  const std::string_view raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // The lower half of a link-local InfiniBand GID is the port's GUID: it is replaced as the GUID is.
  const std::string low = like_hex(key_, "hex", kit::to_hex(raw.substr(8)));
  if (!link_local) {
    Bytes network(key_, "network", raw.substr(0, 8));
    bytes[0] = 0xfd;
    for (std::size_t at = 1; at < 8; ++at) bytes[at] = static_cast<unsigned char>(network.next());
  }
  std::string full = kit::to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), 8)) + low;
  for (std::size_t at = 0; at < 16; ++at)
    bytes[at] =
        static_cast<unsigned char>(base::parse_hex(std::string_view(full).substr(at * 2, 2)).value_or(0));
  if (address.size() == 39) {  // written in full: stays so
    for (std::size_t at = 28; at >= 4; at -= 4) full.insert(at, ":");
    return full;
  }
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

std::string Redactor::hex_id(std::string_view text) const {
  return is_blank_id(text) ? std::string(text) : like_hex(key_, "hex", text);
}

std::string Redactor::replacement(const NameSpan& span, std::string_view name) const {
  switch (span.kind) {
    case NameKind::Uuid:
      return is_blank_id(name) ? std::string(name) : like_hex(key_, "uuid", name);
    case NameKind::HexId:
      return hex_id(name);
    case NameKind::Ipv4:
      return ipv4(name);
    case NameKind::Ipv6:
      return ipv6(name);
    case NameKind::Serial:
      return serial(name);
    case NameKind::Host:
      return host(name);
    case NameKind::HostList:
      return host_list(name);
    case NameKind::User:
      return user(name);
    case NameKind::Process:
      return process(name);
    case NameKind::ProcessColumn: {
      std::string text = process(base::trim(name));
      text.resize(name.size(), ' ');
      return text;
    }
  }
  return {};
}

std::optional<NameSpan> Redactor::known_word(std::string_view line, std::size_t at) const {
  constexpr std::size_t kLongest = 253;  // RFC 1035: a host name
  auto found = words_.end();
  std::size_t found_end = at;
  for (std::size_t end = at + 1; end <= line.size() && end - at <= kLongest; ++end) {
    const bool word_ends = end == line.size() || !is_alnum(line[end]);
    const auto entry = word_ends ? words_.find(line.substr(at, end - at)) : words_.end();
    if (entry != words_.end()) {
      found = entry;
      found_end = end;
    }
    if (end == line.size() || !(is_alnum(line[end]) || base::contains("-._/", line.substr(end, 1)))) break;
  }
  if (found == words_.end()) return std::nullopt;
  switch (found->second) {
    case Word::Host:
      return NameSpan{at, domain_end(line, found_end), NameKind::Host};
    case Word::User:
      return NameSpan{at, found_end, NameKind::User};
    case Word::Serial:
      return NameSpan{at, found_end, NameKind::Serial};
  }
  return std::nullopt;
}

void Redactor::known_words(std::string_view line, std::vector<NameSpan>& spans) const {
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool begins = starts_[static_cast<unsigned char>(line[at])] && (at == 0 || !is_alnum(line[at - 1]));
    if (!begins) continue;
    if (const auto span = known_word(line, at)) spans.push_back(*span);
  }
}

std::string Redactor::redact_line(std::string_view line, LabelledNames& labels) const {
  std::vector<NameSpan> spans = labels.next(line);
  const auto shapes = shaped_names(line);
  spans.insert(spans.end(), shapes.begin(), shapes.end());
  known_words(line, spans);
  make_disjoint(spans);
  std::string result;
  std::size_t done = 0;
  for (const auto& span : spans) {
    result += line.substr(done, span.begin - done);
    result += replacement(span, line.substr(span.begin, span.end - span.begin));
    done = span.end;
  }
  result += line.substr(done);
  return result;
}

void Redactor::redact(std::string_view text, std::size_t piece,
                      const std::function<void(std::string_view)>& write) const {
  LabelledNames labels;
  std::string result;
  while (!text.empty()) {
    const auto end = text.find('\n');
    result += redact_line(text.substr(0, end), labels);
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
    if (result.size() < piece) continue;
    write(result);
    result.clear();
  }
  write(result);
}

std::string Redactor::redact(std::string_view text) const {
  std::string result;
  redact(text, text.size() + 1, [&result](std::string_view piece) { result += piece; });
  return result;
}

}  // namespace gpuwright::host
