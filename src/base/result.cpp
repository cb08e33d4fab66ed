// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace gpuwright::base {

const char* kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::NotFound:
      return "not found";
    case ErrorKind::Denied:
      return "denied";
    case ErrorKind::Unsupported:
      return "unsupported";
    case ErrorKind::Malformed:
      return "malformed";
    case ErrorKind::TimedOut:
      return "timed out";
    case ErrorKind::Io:
      return "input/output error";
    case ErrorKind::Conflict:
      return "conflict";
    case ErrorKind::Internal:
      return "internal error";
  }
  return "unknown";
}

}  // namespace gpuwright::base
