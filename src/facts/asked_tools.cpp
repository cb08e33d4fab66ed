// A dry run: the collectors look at a machine that has nothing and writes down what it is asked to run. So
// there is no second list to keep.
// SPDX-License-Identifier: Apache-2.0
#include "facts/asked_tools.h"

#include <memory>
#include <string>
#include <utility>

namespace gpuwright::facts {

namespace {

class Nothing final : public host::Source {
 public:
  bool live() const override { return true; }
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override {
    return absent(path);
  }
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override {
    return absent(path);
  }
  base::Result<std::string> read_link(const std::string& path) override { return absent(path); }
  base::Result<host::CommandAnswer> run(const std::vector<std::string>& argv,
                                        std::chrono::milliseconds deadline) override {
    calls_.push_back({argv, deadline});
    return absent(argv.empty() ? "" : argv.front());
  }
  base::Result<host::KernelLog> kernel_log() override { return absent("kernel log"); }

  std::vector<host::ToolCall> take() { return std::move(calls_); }

 private:
  static base::Error absent(const std::string& where) {
    return base::make_error(base::ErrorKind::NotFound, "is not there", where);
  }
  std::vector<host::ToolCall> calls_;
};

}  // namespace

std::vector<host::ToolCall> asked_tools(const catalog::Catalog& catalog, Extent extent) {
  Nothing nothing;
  model::Machine machine;
  Probe probe(nothing, machine);
  for (const Collector& collector : all_collectors()) {
    if (collector.quick || extent == Extent::All) collector.collect(probe, catalog, machine);
  }
  return nothing.take();
}

}  // namespace gpuwright::facts
