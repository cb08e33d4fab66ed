// What a person names on the command line: files, folders, standard input, compressed files, tar archives,
// bug reports, bundles. Each becomes a list of documents to read; nothing is left out silently.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stream.h"
#include "host/source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpuwright::host {

/// One text to look at. Compressed content arrives already decompressed; a cut file ends with a Malformed
/// error after its good part.
struct Document {
  std::string name;  ///< as the user knows it: "kern.log", "-", "folder/kern.log",
                     ///< "logs.tar.gz/var/log/syslog", "nvidia-smi -q"
  std::unique_ptr<base::ByteStream> content;
};

/// What was opened, and what was named or contained but could not be read (one printable line each, with the
/// reason).
struct Inputs {
  std::vector<Document> documents;
  std::vector<std::unique_ptr<Source>>
      machines;  ///< of bundles, fixtures and disks: they answer as the machine would
  std::vector<std::string> could_not_look;
  bool kernel_log_seen = false;   ///< the machine's kernel log was read, from wherever
  bool kernel_log_whole = false;  ///< the kernel log was read, and no record since boot is missing
};

struct InputLimits {
  std::size_t max_documents = 20000;
  int max_depth = 16;  ///< folders below a named folder; archives within archives count four
  std::uint64_t max_unpacked = std::uint64_t{16} << 30;
};

/// Opens each path ("-": standard input) in the order given; members of folders and archives sorted by name.
/// A path that does not exist or cannot be read is an Error; a member that cannot be read is a line in
/// could_not_look. Nothing is unpacked to disk under a name. A bundle whose members differ from its manifest
/// is an Error.
base::Result<Inputs> open_inputs(const std::vector<std::string>& paths, InputLimits limits = {});

}  // namespace gpuwright::host
