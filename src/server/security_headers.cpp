// The headers; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "server/security_headers.h"

namespace gpuwright::server {

void add_security_headers(kit::HttpResponse& response, Keep keep) {
  response.headers.push_back({"Cache-Control", keep == Keep::Nothing ? "no-store" : "no-cache"});
  response.headers.push_back(
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
       "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"X-Frame-Options", "DENY"});
  response.headers.push_back({"Referrer-Policy", "no-referrer"});
  response.headers.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
}

}  // namespace gpuwright::server
