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

/// A T, or Absent with its reason; with the id of the place in the snapshot it was read from (0: none noted).
template <class T>
class Field {
 public:
  Field() : state_(Absent{}) {}
  // Implicit, so that a value is assigned as it is.
  // NOLINTBEGIN(google-explicit-constructor)
  Field(T value, std::int32_t provenance = 0) : state_(std::move(value)), provenance_(provenance) {}
  Field(Absent absent) : state_(absent) {}
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

}  // namespace gpuwright::model
