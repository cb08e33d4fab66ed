// How a collector asks: every answer becomes a Field that knows where it was read, or why it could not be. So
// that a collector is a list of "this fact stands in that file", and none of them can forget the reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text.h"
#include "host/source.h"
#include "model/machine.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::facts {

using model::Absent;
using model::AbsentReason;
using model::Field;

class Probe {
 public:
  /// Borrows both.
  Probe(host::Source& source, model::Machine& machine) : source_(source), machine_(machine) {}

  host::Source& source() { return source_; }

  /// The file's text without white space at its ends; at most `limit` bytes.
  Field<std::string> text(const std::string& path, std::size_t limit = kSmall);
  /// The file holds one whole number, perhaps followed by a unit.
  Field<std::int64_t> integer(const std::string& path);
  /// "0" and "1", "N" and "Y".
  Field<bool> flag(const std::string& path);
  /// Names in a folder, sorted.
  Field<std::vector<std::string>> names(const std::string& path);
  /// The last part of where a link leads.
  Field<std::string> link_name(const std::string& path);
  /// What a tool printed to stdout; absent where it is not installed, failed or was killed at its deadline.
  Field<std::string> said(const std::vector<std::string>& argv,
                          std::chrono::milliseconds deadline = std::chrono::seconds(5));
  bool exists(const std::string& path);
  /// The same as a fact: absent where nobody recorded what lies in that folder.
  Field<bool> presence(const std::string& path);
  /// What programs whose command line begins so said on a machine that a person wrote down, one after the
  /// other: whoever writes a machine down asks in words of his own. Empty on a live machine or a capture.
  std::string written(std::string_view beginning);

  /// The same one by one, with the name of each command.
  std::vector<std::pair<std::string, std::string>> written_beside(std::string_view beginning);

  /// A value that was read at `input`.
  template <class T>
  Field<T> found(T value, const std::string& input, std::string_view line = {}) {
    return Field<T>(std::move(value), note(input, line));
  }
  /// No value, for that reason.
  template <class T>
  Field<T> absent(AbsentReason reason, const std::string& input, std::string_view why) {
    return Field<T>(Absent{reason}, note(input, why));
  }
  /// A value derived from `from`, which must be known.
  template <class T, class From>
  static Field<T> derived(T value, const Field<From>& from) {
    return Field<T>(std::move(value), from.provenance());
  }
  /// Absent for the reason of `from`.
  template <class T, class From>
  static Field<T> as_absent(const Field<From>& from) {
    return Field<T>(Absent{from.reason()}, from.provenance());
  }
  /// `from` read as another type by `convert` (From -> std::optional<T>); Malformed where it says nothing.
  template <class T, class From, class Convert>
  static Field<T> read_as(const Field<From>& from, Convert convert) {
    if (!from.known()) return as_absent<T>(from);
    std::optional<T> value = convert(from.value());
    if (!value) return Field<T>(Absent{AbsentReason::Malformed}, from.provenance());
    return Field<T>(std::move(*value), from.provenance());
  }
  static Field<std::int64_t> integer_of(const Field<std::string>& from);
  /// The text behind "KEY:" or "KEY=" at the start of a line of `from`; NotFound where no line has it.
  Field<std::string> value_of(const Field<std::string>& from, std::string_view key);

  /// Notes a place and returns its id.
  std::int32_t note(const std::string& input, std::string_view line);

  static constexpr std::size_t kSmall = std::size_t{64} << 10;
  static constexpr std::size_t kLarge = std::size_t{4} << 20;

 private:
  template <class T>
  Field<T> failed(const base::Error& error, const std::string& where);
  host::Source& source_;
  model::Machine& machine_;
  std::optional<std::vector<std::pair<std::string, std::string>>> written_;
};

/// Why there is no value, for an error of a Source.
AbsentReason reason_of(base::ErrorKind kind);

}  // namespace gpuwright::facts
