// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_probe.h"

#include "base/files.h"
#include "base/text.h"
#include "host/nvml_questions.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>

namespace gpuwright::host::nvml {

namespace {

using Clock = std::chrono::steady_clock;

class Probe {
 public:
  explicit Probe(int fd) : fd_(fd) {}

  bool start() {
    auto library = open_library();
    if (!library) {
      tell(fmt::format("e{} {}", static_cast<int>(library.error().kind),
                       base::printable(library.error().where + " " + library.error().message)));
      return false;
    }
    library_ = std::move(library).value();
    if (library_.api.simulated_scenario != nullptr)
      tell(fmt::format("hsimulated: {}", base::printable(library_.api.simulated_scenario(), 120)));
    const Return result = ask("init", "nvmlInit_v2", [&] { return Answer{library_.api.init(), "done"}; });
    return result == Return::Success;
  }

  std::uint32_t system() {
    const Api& api = library_.api;
    version("driver_version", "nvmlSystemGetDriverVersion", api.driver_version);
    version("nvml_version", "nvmlSystemGetNVMLVersion", api.library_version);
    ask("cuda_version", "nvmlSystemGetCudaDriverVersion_v2", [&] {
      std::int32_t number = 0;
      if (api.cuda_version == nullptr) return Answer{};
      const Return result = api.cuda_version(&number);
      return Answer{result, fmt::format("{}.{}", number / 1000, number % 1000 / 10)};
    });
    std::uint32_t count = 0;
    ask("count", "nvmlDeviceGetCount_v2", [&] {
      const Return result = api.count(&count);
      return Answer{result, fmt::format("{}", count)};
    });
    for (const std::string& name : library_.missing) tell("hmissing: " + name);
    return count;
  }

  void gpu(std::uint32_t index) {
    tell(fmt::format("g{}", index));
    Device device = nullptr;
    const Return found = ask("handle", "nvmlDeviceGetHandleByIndex_v2", [&] {
      return Answer{library_.api.handle_by_index(index, &device), "found"};
    });
    if (found != Return::Success) return;
    for (const Question& question : questions()) {
      const Return result =
          ask(question.key, question.call, [&] { return question.ask(library_.api, device); });
      if (result == Return::GpuIsLost) return;  // it does not come back, and each call may take long
    }
    for (const ListQuestion& question : list_questions()) {
      ask(question.key, question.call, [&] {
        std::vector<std::string> lines;
        const Return result = question.ask(library_.api, device, lines);
        for (const std::string& line : lines) tell("+" + line);
        return Answer{result, fmt::format("{}", lines.size())};
      });
    }
  }

  void tell(std::string line) {
    line += '\n';
    (void)base::write_all(fd_, line, "worker").ok();
  }

 private:
  template <class Call>
  void version(const char* key, const char* name, Call call) {
    ask(key, name, [&] {
      std::array<char, kVersionSize + 1> buffer{};
      if (call == nullptr) return Answer{};
      const Return result = call(buffer.data(), kVersionSize);
      return Answer{result, base::printable(buffer.data(), kVersionSize)};
    });
  }

  template <class Call>
  Return ask(const char* key, const char* call, Call answer_of) {
    tell(fmt::format("?{} {}", key, call));
    const Clock::time_point begin = Clock::now();
    const Answer answer = answer_of();
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
    tell(fmt::format("={} {} {}", static_cast<int>(answer.result), took.count(), answer.text));
    return answer.result;
  }

  int fd_;
  Library library_;
};

}  // namespace

void run_probe(int fd, const std::vector<std::uint32_t>& gpus) {
  Probe probe(fd);
  if (probe.start()) {
    const std::uint32_t count = probe.system();
    if (gpus.empty()) {
      for (std::uint32_t index = 0; index < count; ++index) probe.gpu(index);
    } else {
      for (const std::uint32_t index : gpus) probe.gpu(index);
    }
  }
  probe.tell(".");
}

}  // namespace gpuwright::host::nvml
