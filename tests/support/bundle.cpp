// SPDX-License-Identifier: Apache-2.0
#include "support/bundle.h"

#include "base/files.h"
#include "facts/collector.h"
#include "host/evidence.h"
#include "host/recording.h"
#include "kit/hash.h"

#include "support/diagnose.h"
#include "support/run.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {

void write_bundle_of(const WrittenMachine& machine, const std::vector<std::string>& inputs,
                     const std::string& path) {
  const TempFolder folder;
  const auto source = source_of(machine);
  auto spool = host::Spool::create();
  ASSERT_TRUE(spool.ok());
  host::Recording recording(*source, *spool);
  std::vector<std::string> paths;
  for (const std::string& text : inputs) {
    if (!text.empty()) paths.push_back(folder.write("input" + std::to_string(paths.size()), text));
  }
  auto opened = host::open_inputs(paths);
  ASSERT_TRUE(opened.ok());
  ASSERT_TRUE(recording.add_inputs(std::move(*opened)).ok());
  host::collect_evidence(recording, [](const host::EvidenceItem&, std::size_t, std::size_t) {});
  facts::collect_machine(recording, knowledge());
  const auto key = kit::random_bytes(32);
  ASSERT_TRUE(key.ok());
  host::Redactor redactor(*key, host::known_names(*source));
  host::BundleOptions options;
  options.created = "2026-11-30T10:00:00Z";
  options.tool = "gpuwright test";
  options.source = "live";
  options.redactor = &redactor;
  auto file = base::AtomicFile::create(path, 0600);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(host::write_bundle(recording, file->fd(), options).ok());
  ASSERT_TRUE(file->commit().ok());
}

}  // namespace gpuwright::tests
