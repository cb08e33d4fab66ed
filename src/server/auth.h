// Who may do what. Reading needs a token where one is set; writing needs one of its own in any case. A token
// is a secret in a file that others on the machine cannot read. Source: RFC 6750 (Bearer).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>

namespace gpuwright::server {

/// What a route asks for.
enum class Need {
  Open,        ///< nothing
  Token,       ///< the token for reading, where one is set
  WriteToken,  ///< the token for writing, always
};

struct Tokens {
  std::string read;   ///< empty: none is set
  std::string write;  ///< empty: nobody writes; it reads, too
};

/// The token in a file: at least 16 characters without spaces, a line end behind it does not count. Errors:
/// NotFound, Denied (not ours to read; or others may read it, or the group may write it), Malformed (no
/// token).
base::Result<std::string> load_token(const std::string& path);

enum class Verdict {
  Allowed,
  WhoAreYou,  ///< 401: no token, or a wrong one
  NotYou,     ///< 403: a token that is good for less, or nobody may
};

/// `authorization` is the header of that name.
Verdict judge(Need need, const Tokens& tokens, const std::optional<std::string>& authorization);

}  // namespace gpuwright::server
