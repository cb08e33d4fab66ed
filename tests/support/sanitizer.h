// What a sanitizer cannot bear.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gpuwright::tests {

/// ThreadSanitizer crashes in threads that glibc starts by itself: those of getaddrinfo_a(3), which looks up
/// names.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kNamesCanBeLookedUp = false;
#else
inline constexpr bool kNamesCanBeLookedUp = true;
#endif

}  // namespace gpuwright::tests
