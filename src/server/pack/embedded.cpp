// The page, inside the binary's read-only data.
// SPDX-License-Identifier: Apache-2.0
#include "server/page_files.h"

__asm__(
    ".section .rodata\n"
    ".global gpuwright_page_begin\n"
    "gpuwright_page_begin:\n"
    ".incbin \"" GPUWRIGHT_PAGE_PACK
    "\"\n"
    ".global gpuwright_page_end\n"
    "gpuwright_page_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char gpuwright_page_begin[];
extern const char gpuwright_page_end[];
}

namespace gpuwright::server {

std::string_view packed_page() {
  return {gpuwright_page_begin, static_cast<std::size_t>(gpuwright_page_end - gpuwright_page_begin)};
}

}  // namespace gpuwright::server
