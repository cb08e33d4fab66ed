// What a command looks at: the named inputs, else the files of a mounted disk, else this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command.h"
#include "base/result.h"
#include "host/evidence.h"
#include "host/inputs.h"
#include "host/live_host.h"
#include "host/source.h"

#include <memory>
#include <string>
#include <vector>

namespace gpuwright::app {

/// One line on a terminal that is overwritten as work goes on, and gone when the object is.
class ProgressLine {
 public:
  explicit ProgressLine(const Console& console) : console_(console) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Shows the text where stderr is a terminal, else nothing.
  void show(const std::string& text);

 private:
  const Console& console_;
  bool shown_ = false;
};

/// The machine, or the disk mounted at `sysroot`; each question is asked once. NotFound or Unsupported when
/// that is no folder.
base::Result<std::unique_ptr<host::Source>> open_host(const std::string& sysroot,
                                                      const host::LiveLimits& limits = {});

/// The short list of evidence from this machine, or from the disk mounted at `sysroot`.
base::Result<host::Inputs> gather_quickly(const std::string& sysroot, const host::LiveLimits& limits);

/// Reads the list of evidence from the source, telling on a terminal what is being asked.
host::Inputs look_at(host::Source& source, const Console& console);

/// Opens `paths`; without any, looks at the disk at `sysroot`, or at this machine when that is empty too. The
/// machine itself is among `Inputs::machines` then.
base::Result<host::Inputs> gather(const std::vector<std::string>& paths, const std::string& sysroot,
                                  const Console& console);

}  // namespace gpuwright::app
