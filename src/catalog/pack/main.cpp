// Build tool: packs data/ into the flat file that the binary embeds. Refuses knowledge that does not follow
// the schema.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/builder.h"
#include "catalog/pack.h"

#include <fmt/core.h>

#include <cstdio>
#include <fstream>

int main(int argc, char** argv) {
  using namespace gpuwright::catalog;
  if (argc != 3) {
    fmt::print(stderr, "usage: gpuwright_pack DATA_FOLDER OUTPUT\n");
    return 2;
  }
  const gpuwright::base::Result<std::vector<KnowledgeFile>> files = read_knowledge(argv[1]);
  const gpuwright::base::Result<Catalog> catalog =
      files ? build_catalog(*files) : gpuwright::base::Result<Catalog>(files.error());
  if (!catalog) {
    fmt::print(stderr, "data/{}\n", catalog.error().text());
    return 1;
  }
  std::ofstream out(argv[2], std::ios::binary);
  out << pack_catalog(*catalog);
  return out.flush() ? 0 : 1;
}
