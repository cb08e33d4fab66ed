// Headers that keep a browser from doing with an answer what it is not for. The page asks nobody but us: no
// other origin, no inline script, no frame around it. Source: Content Security Policy Level 3; Fetch; OWASP
// Secure Headers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kit/http_message.h"

namespace gpuwright::server {

enum class Keep {
  Nothing,    ///< what is true now
  IfTheSame,  ///< the browser asks whether it has changed
};

/// Adds them, and what may be kept of the answer.
void add_security_headers(kit::HttpResponse& response, Keep keep);

}  // namespace gpuwright::server
