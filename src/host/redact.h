// Evidence leaves the machine without its names: serial numbers, UUIDs, addresses, host, user and process
// names are replaced by a keyed hash of the same shape, so that equal things stay equal, every parser still
// works, and nobody without the key can find out who it was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/name_spans.h"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host {

/// Names that are known beforehand, beside those that the text itself gives away.
struct KnownNames {
  std::set<std::string> hosts;
  std::set<std::string> users;
};

/// Text to text. learn() every text first, then redact() each: a name that is recognisable in one place is
/// replaced in all.
class Redactor {
 public:
  explicit Redactor(std::string key, const KnownNames& known = {});

  /// Notes host names, user names and serial numbers that the text gives away by its form.
  void learn(std::string_view text);
  /// The text with everything that names somebody or something replaced. PCI addresses, versions, times,
  /// error codes and sizes stay. Line count is kept.
  std::string redact(std::string_view text) const;
  /// The same for long text: hands out pieces of about `piece` bytes, in order.
  void redact(std::string_view text, std::size_t piece,
              const std::function<void(std::string_view)>& write) const;

  /// One name by itself, as redact() would replace it.
  std::string host(std::string_view name) const;
  std::string user(std::string_view name) const;
  std::string process(std::string_view name) const;
  std::string serial(std::string_view number) const;
  std::string ipv4(std::string_view address) const;
  std::string ipv6(std::string_view address) const;
  /// A MAC address or InfiniBand GUID in any grouping: each hex digit becomes another, separators stay.
  std::string hex_id(std::string_view text) const;

  const std::set<std::string>& hosts() const { return known_.hosts; }
  const std::set<std::string>& users() const { return known_.users; }

 private:
  enum class Word { Host, User, Serial };
  void note_host(std::string_view name);
  void note(NameKind kind, std::string_view name);
  void index();
  std::string host_list(std::string_view text) const;
  std::string replacement(const NameSpan& span, std::string_view name) const;
  std::optional<NameSpan> known_word(std::string_view line, std::size_t at) const;
  void known_words(std::string_view line, std::vector<NameSpan>& spans) const;
  std::string redact_line(std::string_view line, LabelledNames& labels) const;

  std::string key_;
  KnownNames known_;
  std::set<std::string> serials_;
  std::map<std::string, Word, std::less<>> words_;  ///< what is replaced wherever it stands
  std::array<bool, 256> starts_ = {};               ///< first bytes of words_
};

}  // namespace gpuwright::host
