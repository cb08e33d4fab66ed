// A fact about a machine: its value, or why there is none. Unknown is never 0, and never healthy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace gpuwright::model {

enum class AbsentReason { NotFound, Denied, Unsupported, TimedOut, Malformed };

struct Absent {
  AbsentReason reason = AbsentReason::NotFound;
  bool operator==(const Absent&) const = default;
};

/// A T, or Absent with its reason; with the id of the place in the snapshot that it was read from, or could
/// not be read from (0: nobody looked, or none noted).
template <class T>
class Field {
 public:
  Field() : state_(Absent{}) {}
  // Implicit, so that a value is assigned as it is.
  // NOLINTBEGIN(google-explicit-constructor)
  Field(T value, std::int32_t provenance = 0) : state_(std::move(value)), provenance_(provenance) {}
  Field(Absent absent, std::int32_t provenance = 0) : state_(absent), provenance_(provenance) {}
  // NOLINTEND(google-explicit-constructor)

  bool known() const { return state_.index() == 0; }
  const T& value() const { return std::get<0>(state_); }
  AbsentReason reason() const { return std::get<1>(state_).reason; }
  const T* get() const { return std::get_if<0>(&state_); }
  std::int32_t provenance() const { return provenance_; }
  bool operator==(const Field&) const = default;

 private:
  std::variant<T, Absent> state_;
  std::int32_t provenance_ = 0;
};

/// The value as the key of a list's element; empty where it is absent.
inline std::string key_text(const Field<std::string>& field) {
  return field.known() ? field.value() : std::string();
}
inline std::string key_text(const Field<std::int64_t>& field) {
  return field.known() ? std::to_string(field.value()) : std::string();
}

/// The elements of a list, none where it could not be read: for loops that judge what is there. Who must know
/// whether all is there asks `known()`.
template <class T>
const T& each(const Field<T>& list) {
  static const T kNone;
  return list.known() ? list.value() : kNone;
}
/// A loop over a temporary's elements would outlive them.
template <class T>
const T& each(const Field<T>&& list) = delete;

}  // namespace gpuwright::model
