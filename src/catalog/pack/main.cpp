// Build tool: packs data/ into the flat file that the binary embeds. Refuses knowledge that does not follow
// the schema.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/builder.h"
#include "catalog/pack.h"

#include <fmt/core.h>

#include <cstdio>
#include <fstream>

int main(int argc, char** argv) {
  namespace catalog = gpuwright::catalog;
  using gpuwright::base::Result;
  if (argc != 3) {
    fmt::print(stderr, "usage: gpuwright_pack DATA_FOLDER OUTPUT\n");
    return 2;
  }
  const Result<std::vector<catalog::KnowledgeFile>> files = catalog::read_knowledge(argv[1]);
  const Result<catalog::Catalog> knowledge =
      files ? catalog::build_catalog(*files) : Result<catalog::Catalog>(files.error());
  if (!knowledge) {
    fmt::print(stderr, "data/{}\n", knowledge.error().text());
    return 1;
  }
  std::ofstream out(argv[2], std::ios::binary);
  out << catalog::pack_catalog(*knowledge);
  return out.flush() ? 0 : 1;
}
