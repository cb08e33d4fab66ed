// The pack, inside the binary's read-only data.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/pack.h"

__asm__(
    ".section .rodata\n"
    ".global gpuwright_pack_begin\n"
    "gpuwright_pack_begin:\n"
    ".incbin \"" GPUWRIGHT_PACK
    "\"\n"
    ".global gpuwright_pack_end\n"
    "gpuwright_pack_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char gpuwright_pack_begin[];
extern const char gpuwright_pack_end[];
}

namespace gpuwright::catalog {

base::Result<Catalog> Catalog::embedded() {
  return unpack_catalog(
      {gpuwright_pack_begin, static_cast<std::size_t>(gpuwright_pack_end - gpuwright_pack_begin)});
}

}  // namespace gpuwright::catalog
