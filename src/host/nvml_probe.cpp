// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_probe.h"

#include "base/files.h"
#include "base/text.h"
#include "host/nvml_claims.h"
#include "host/nvml_questions.h"
#include "host/nvml_words.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace gpuwright::host::nvml {

namespace {

using Clock = std::chrono::steady_clock;

class Probe {
 public:
  explicit Probe(int fd) : fd_(fd), claims_(Claims::of_this_user(nvml_scope())) {}

  /// False when one who opened NVML before still waits in it.
  bool claim_library() {
    const auto waiting = claim_opening(claims_, opening_);
    if (waiting) tell(absent("init", *waiting, "nvmlInit_v2"));
    return !waiting;
  }

  /// Nobody else asks this GPU then. False when somebody does, or still waits for it; told as its answer.
  bool claim(std::uint32_t index) {
    constexpr std::chrono::milliseconds kPatience{500};
    holder_ = claim_of(fmt::format("GPU {}", index));
    GpuClaim taken = claim_gpu(claims_, index, holder_, kPatience);
    if (taken.claim) {
      asking_ = std::move(*taken.claim);
      return true;
    }
    tell(fmt::format("g{}", index));
    refuse_gpu(taken.other, taken.stuck);
    return false;
  }

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
    opening_.release();
    return count;
  }

  void gpu(std::uint32_t index) {
    tell(fmt::format("g{}", index));
    send();
    if (!claim(index)) return;
    ask_gpu(index);
    asking_.release();
  }

  /// What is known of the GPU when its claim is held.
  void ask_gpu(std::uint32_t index) {
    tell(fmt::format("g{}", index));
    Device device = nullptr;
    const Return found = ask("handle", "nvmlDeviceGetHandleByIndex_v2", [&] {
      return Answer{library_.api.handle_by_index(index, &device), "found"};
    });
    if (found != Return::Success) return;
    for (const Question& question : questions()) {
      const Return result = ask(question.key, question.call, [&] {
        Answer answer = question.ask(library_.api, device);
        note_address(question.key, answer);
        return answer;
      });
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

  /// Adds a line; it goes out with the next question, so that each question costs one write.
  void tell(std::string_view line) {
    unsent_ += line;
    unsent_ += '\n';
  }

  void send() {
    (void)base::write_all(fd_, unsent_, "worker").ok();
    unsent_.clear();
  }

 private:
  /// An answer that never came, in the words of nvml_worker.h.
  static std::string absent(const char* key, const model::LeftBehind& waiting, const char* call) {
    return fmt::format("+{}: [no answer after {} ms: process {} of an earlier look still waits]  [{}]", key,
                       age_ms(waiting), waiting.pid, call);
  }

  /// Later looks learn from the claim which GPU they did not ask.
  void note_address(std::string_view key, const Answer& answer) {
    if (key != "pci.bus_id" || answer.result != Return::Success) return;
    holder_.pci = answer.text;
    asking_.write(holder_);
  }

  void refuse_gpu(const std::optional<model::LeftBehind>& other, bool stuck) {
    if (other && !other->pci.empty())
      tell(fmt::format("+pci.bus_id: {}  [as process {} saw it]", other->pci, other->pid));
    tell(stuck ? absent("handle", *other, "nvmlDeviceGetHandleByIndex_v2")
               : fmt::format("+handle: [{}]  [process {}]", kBusy, other ? other->pid : 0));
  }

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
    send();
    const Clock::time_point begin = Clock::now();
    const Answer answer = answer_of();
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
    tell(fmt::format("={} {} {}", static_cast<int>(answer.result), took.count(), answer.text));
    return answer.result;
  }

  int fd_;
  std::string unsent_;
  Library library_;
  Claims claims_;
  model::LeftBehind holder_;
  Claim opening_;
  Claim asking_;
};

}  // namespace

void run_probe(int fd, const std::vector<std::uint32_t>& gpus) {
  Probe probe(fd);
  // Who asks for one GPU alone does so because another hangs: already opening NVML may hang for it.
  const bool alone = gpus.size() == 1;
  if ((!alone || probe.claim(gpus.front())) && probe.claim_library() && probe.start()) {
    const std::uint32_t count = probe.system();
    if (alone) {
      probe.ask_gpu(gpus.front());
    } else {
      for (std::uint32_t index = 0; index < count; ++index) probe.gpu(index);
    }
  }
  probe.tell(".");
  probe.send();
}

}  // namespace gpuwright::host::nvml
