// Opening the machine, moving its time on, and the door of every call.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/simulator.h"

#include "base/files.h"
#include "fakegpu/words.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace gpuwright::fakegpu {
namespace {

constexpr std::size_t kMostText = std::size_t{4} << 20;
constexpr const char* kDefault = "boards 8 h100-sxm\n";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void complain(const base::Error& error) {
  std::fprintf(stderr, "gpuwright fakegpu: %s\n", error.text().c_str());
}

// Of the answer that is being given in this thread.
thread_local bool garble_texts = false;

double unix_seconds() {
  const auto passed = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(passed).count();
}

/// One line a call, where somebody wants to count them: GPUWRIGHT_FAKEGPU_CALLS.
void note_call(const char* call) {
  static const std::string path = environment("GPUWRIGHT_FAKEGPU_CALLS");
  if (path.empty()) return;
  if (std::FILE* file = std::fopen(path.c_str(), "ae")) {
    std::fprintf(file, "%s\n", call);
    std::fclose(file);
  }
}

}  // namespace

void Simulator::Sleep::take() {
  if (file.empty()) return std::this_thread::sleep_for(std::chrono::milliseconds(5));
  (void)base::read_file(file, kMostText).ok();  // whatever it says: it is there to keep us
  file.clear();
  over = true;
}

Simulator::Simulator() : handles_(std::size_t{kMostGpus} * (kMostSlices + 1)) {
  for (std::size_t at = 0; at < handles_.size(); ++at) {
    handles_[at].gpu = static_cast<std::uint8_t>(at / (kMostSlices + 1));
    handles_[at].slice = static_cast<std::uint8_t>(at % (kMostSlices + 1));
  }
}

Simulator& Simulator::instance() {
  // Never destroyed: a call that hangs in another thread may outlive main().
  static Simulator* simulator = new Simulator;
  return *simulator;
}

double Simulator::clock() const {
  return unix_seconds() - start_;
}

base::Result<Scenario> Simulator::read_files() {
  if (boards_.empty()) {
    GPUWRIGHT_TRY(boards_, boards_from(boards_csv()));
  }
  const std::string path = environment("GPUWRIGHT_FAKEGPU");
  const std::string start = environment("GPUWRIGHT_FAKEGPU_START");
  start_ = unix_seconds();
  if (!start.empty()) {
    const auto seconds = base::parse_double(start);
    if (!seconds) return wrong("GPUWRIGHT_FAKEGPU_START must be unix seconds, not " + quoted(start));
    start_ = *seconds;
  }
  std::string text = kDefault;
  scenario_name_ = path.empty() ? "default" : path;
  if (!path.empty()) {
    GPUWRIGHT_TRY(text, base::read_file(path, kMostText));
  }
  return read_scenario(text, scenario_name_, boards_);
}

Return Simulator::load() {
  auto scenario = read_files();
  if (!scenario.ok()) {
    complain(scenario.error());
    return Return::Unknown;
  }
  world_ = std::move(scenario->world);
  pending_ = std::move(scenario->actions);
  control_path_ = environment("GPUWRIGHT_FAKEGPU_CONTROL");
  control_read_ = 0;
  control_lines_ = 0;
  kernel_log_ = KernelLog(environment("GPUWRIGHT_FAKEGPU_KMSG"));
  advance();
  return Return::Success;
}

Return Simulator::init() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (users_ == 0) {
      const Return loaded = load();
      if (loaded != Return::Success) return loaded;
    }
    ++users_;
  }
  for (Sleep sleep;; sleep.take()) {  // a driver that is locked holds those who open it, too
    const std::lock_guard<std::mutex> lock(mutex_);
    advance();
    if (!sleep.over) sleep.file = world_.locked_file;
    if (sleep.file.empty() && now_ >= world_.locked_until) return Return::Success;
  }
}

Return Simulator::shutdown() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (users_ == 0) return Return::Uninitialized;
  --users_;
  return Return::Success;
}

void Simulator::read_control() {
  struct stat about {};
  if (control_path_.empty() || ::stat(control_path_.c_str(), &about) != 0) return;
  if (static_cast<std::size_t>(about.st_size) <= control_read_) return;
  const auto text = base::read_file(control_path_, kMostText);
  if (!text.ok() || text->size() <= control_read_) return;
  const double written =
      static_cast<double>(about.st_mtim.tv_sec) + static_cast<double>(about.st_mtim.tv_nsec) * 1e-9 - start_;
  const auto whole = text->rfind('\n') + 1;  // the last line may be half written
  if (whole <= control_read_) return;
  for (auto line : base::lines(std::string_view(*text).substr(control_read_, whole - control_read_))) {
    ++control_lines_;
    line = base::trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    auto effect = read_line(line, world_);
    if (effect.ok()) {
      // Lines that were written together stay apart by a microsecond, so that their log lines differ.
      const double at =
          std::clamp(written, 0.0, std::max(0.0, now_)) + static_cast<double>(control_lines_) * 1e-6;
      pending_.push_back({std::min(at, std::max(0.0, now_)), std::move(effect).value()});
    } else {
      complain(base::make_error(effect.error().kind, effect.error().message,
                                control_path_ + ":" + std::to_string(control_lines_)));
    }
  }
  control_read_ = whole;
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const Action& one, const Action& other) { return one.at < other.at; });
}

void Simulator::advance() {
  now_ = std::max(0.0, clock());
  read_control();
  const auto due =
      std::find_if(pending_.begin(), pending_.end(), [&](const Action& one) { return one.at > now_; });
  for (auto action = pending_.begin(); action != due; ++action) action->effect(world_, action->at);
  pending_.erase(pending_.begin(), due);
  kernel_log_.write(world_.kernel);
}

Device Simulator::handle(std::uint32_t gpu, std::uint32_t slice) {
  return &handles_[std::size_t{gpu} * (kMostSlices + 1) + slice];
}

Return Simulator::resolve(Device device, Takes takes, Target& target) const {
  const auto address = reinterpret_cast<std::uintptr_t>(device);
  const auto first = reinterpret_cast<std::uintptr_t>(handles_.data());
  const auto offset = address - first;
  constexpr auto kSize = sizeof(host::nvml::DeviceHandle);
  if (address < first || offset >= handles_.size() * kSize || offset % kSize != 0)
    return Return::InvalidArgument;
  const auto& known = handles_[offset / kSize];
  if (known.gpu >= world_.gpus.size()) return Return::InvalidArgument;
  if (known.slice > world_.gpus[known.gpu].slices.size()) return Return::InvalidArgument;
  if (known.slice != 0 && takes == Takes::Gpu) return Return::NotSupported;
  if (known.slice == 0 && takes == Takes::Instance) return Return::InvalidArgument;
  target = {known.gpu, known.slice};
  return Return::Success;
}

const Gpu* Simulator::look_up(Device device) const {
  Target target;
  return resolve(device, Takes::Gpu, target) == Return::Success ? &world_.gpus[target.gpu] : nullptr;
}

bool Simulator::blocked(const char* call, const Gpu& gpu) const {
  if (now_ < world_.locked_until) return true;
  return std::any_of(gpu.hangs.begin(), gpu.hangs.end(), [&](const Hang& hang) {
    return hang.file.empty() && now_ < hang.until && (hang.call == "all" || hang.call == call);
  });
}

std::string Simulator::file_behind(const char* call, const Gpu& gpu) const {
  if (!world_.locked_file.empty()) return world_.locked_file;
  const auto hang = std::find_if(gpu.hangs.begin(), gpu.hangs.end(), [&](const Hang& one) {
    return !one.file.empty() && (one.call == "all" || one.call == call);
  });
  return hang == gpu.hangs.end() ? std::string() : hang->file;
}

Simulator::Wait Simulator::answer_once(const char* call, const Target& target, const Answer& answer,
                                       Return& result, Sleep& sleep) {
  Gpu& gpu = world_.gpus[target.gpu];
  result = Return::FunctionNotFound;
  if (world_.missing.count(call) != 0) return Wait::No;
  if (!sleep.over) sleep.file = file_behind(call, gpu);
  if (!sleep.file.empty() || blocked(call, gpu)) return Wait::Yes;
  result = Return::GpuIsLost;
  if (gpu.lost) return Wait::No;
  const auto injected = gpu.errors.find(call);
  if (injected != gpu.errors.end()) {
    result = static_cast<Return>(injected->second);
    return Wait::No;
  }
  if (gpu.crashes.count(call) != 0) std::abort();
  garble_texts = gpu.garbled.count(call) != 0;
  View view{world_, gpu, target.slice == 0 ? nullptr : &gpu.slices[target.slice - 1], now_};
  result = answer(view);
  garble_texts = false;
  return Wait::No;
}

Return Simulator::ask(const char* call, Device device, Takes takes, const Answer& answer) {
  note_call(call);
  for (Sleep sleep;; sleep.take()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (users_ == 0) return Return::Uninitialized;
    advance();
    Target target;
    Return result = resolve(device, takes, target);
    if (result != Return::Success) return result;
    if (answer_once(call, target, answer, result, sleep) == Wait::No) return result;
  }
}

Return Simulator::ask_gpu(const char* call, std::uint32_t index, const Answer& answer) {
  note_call(call);
  for (Sleep sleep;; sleep.take()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (users_ == 0) return Return::Uninitialized;
    advance();
    if (index >= world_.gpus.size()) return Return::InvalidArgument;
    Return result = Return::Unknown;
    if (answer_once(call, {index, 0}, answer, result, sleep) == Wait::No) return result;
  }
}

Return Simulator::ask_system(const char* call, const SystemAnswer& answer) {
  note_call(call);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (users_ == 0) return Return::Uninitialized;
  advance();
  if (world_.missing.count(call) != 0) return Return::FunctionNotFound;
  return answer(world_, now_);
}

void Simulator::tell_others(const std::string& line) const {
  if (control_path_.empty()) return;
  if (std::FILE* file = std::fopen(control_path_.c_str(), "ae")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

Return put_text(char* out, std::uint32_t length, std::string_view text) {
  if (out == nullptr) return Return::InvalidArgument;
  if (text.size() >= length) return Return::InsufficientSize;
  if (garble_texts) {  // half of it, bytes that are no text, and no end
    std::memset(out, '\xff', length);
    std::memcpy(out, text.data(), text.size() / 2);
    out[text.size() / 2] = '\x1b';
    return Return::Success;
  }
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return Return::Success;
}

}  // namespace gpuwright::fakegpu
