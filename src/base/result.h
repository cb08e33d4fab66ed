// Errors are values. A function that can fail returns Result<T>; the caller must look at it. Nothing in
// gpuwright throws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace gpuwright::base {

/// What kind of failure. Callers may branch on the kind, never on the text.
enum class ErrorKind { NotFound, Denied, Unsupported, Malformed, TimedOut, Io, Conflict, Internal };

/// Returns the kind's name in lower case ("not found", "denied", ...), for messages.
const char* kind_name(ErrorKind kind);

/// One failure: what went wrong (one sentence, with what to do where known) and where (a path, `file:line` or
/// a field).
struct Error {
  ErrorKind kind = ErrorKind::Internal;
  std::string message;
  std::string where;

  /// "where: message", or the message alone.
  std::string text() const { return where.empty() ? message : where + ": " + message; }
};

/// The value of a step that yields nothing.
struct Done {};

/// A T, or the Error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function returns its value or its error as it is.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value. Only when ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// The error. Only when not ok().
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

  T value_or(T fallback) const& { return ok() ? value() : std::move(fallback); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<Done>;

inline Error make_error(ErrorKind kind, std::string message, std::string where = {}) {
  return Error{kind, std::move(message), std::move(where)};
}

}  // namespace gpuwright::base

#define GPUWRIGHT_CONCAT_INNER(a, b) a##b
#define GPUWRIGHT_CONCAT(a, b) GPUWRIGHT_CONCAT_INNER(a, b)

/// GPUWRIGHT_TRY(auto value, expression): the value, or return the expression's error to our caller.
/// For a Status write GPUWRIGHT_TRY([[maybe_unused]] auto done, expression).
#define GPUWRIGHT_TRY(declaration, expression)                                                            \
  auto GPUWRIGHT_CONCAT(try_, __LINE__) = (expression);                                                   \
  if (!GPUWRIGHT_CONCAT(try_, __LINE__).ok()) return std::move(GPUWRIGHT_CONCAT(try_, __LINE__)).error(); \
  declaration = std::move(GPUWRIGHT_CONCAT(try_, __LINE__)).value()
