// The one simulated machine of a process: its clock, its scenario and control files, and the door through
// which every call goes. The door holds what all calls share: not initialised, a handle that is none, a
// symbol that the driver lacks, a call that hangs, an injected error, a lost GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fakegpu/kernel_log.h"
#include "fakegpu/scenario.h"
#include "host/nvml_abi.h"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host::nvml {

/// What a handle points to. Handles are compared as addresses and never read through before they are known.
struct DeviceHandle {
  std::uint8_t gpu = 0;
  std::uint8_t slice = 0;  ///< 0 the whole GPU, else a MIG instance counted from 1
};

}  // namespace gpuwright::host::nvml

namespace gpuwright::fakegpu {

using host::nvml::Device;
using host::nvml::Return;

/// What a call may look at while it answers: nothing changes meanwhile.
struct View {
  World& world;
  Gpu& gpu;
  const Slice* slice = nullptr;  ///< set for the handle of a MIG instance
  double now = 0;

  double quantity(const char* name) const { return fakegpu::quantity(gpu, name, now); }
};

/// Which handles a call takes.
enum class Takes { Gpu, GpuOrInstance, Instance };

class Simulator {
 public:
  static Simulator& instance();

  Return init();
  Return shutdown();
  /// The file of the running scenario, or "default".
  const char* scenario() const { return scenario_name_.c_str(); }

  using Answer = std::function<Return(View&)>;
  using SystemAnswer = std::function<Return(World&, double now)>;
  /// A call about a GPU.
  Return ask(const char* call, Device device, Takes takes, const Answer& answer);
  /// A call about a GPU that is not yet a handle.
  Return ask_gpu(const char* call, std::uint32_t index, const Answer& answer);
  /// A call about the machine.
  Return ask_system(const char* call, const SystemAnswer& answer);

  Device handle(std::uint32_t gpu, std::uint32_t slice = 0);
  /// The whole GPU behind a handle, or null. Only while answering: the lock is held.
  const Gpu* look_up(Device device) const;
  /// Carries a change that a caller makes (a limit) to all processes where there is a control file.
  void tell_others(const std::string& line) const;

 private:
  struct Target {
    std::uint32_t gpu = 0;
    std::uint32_t slice = 0;
  };
  /// Of a call that does not answer at once: it sleeps a little, or it reads a file, once.
  struct Sleep {
    std::string file;  ///< to be read
    bool over = false;
    void take();
  };
  enum class Wait { No, Yes };

  Simulator();
  Return load();
  base::Result<Scenario> read_files();
  void advance();
  void read_control();
  double clock() const;
  Return resolve(Device device, Takes takes, Target& target) const;
  Wait answer_once(const char* call, const Target& target, const Answer& answer, Return& result,
                   Sleep& sleep);
  bool blocked(const char* call, const Gpu& gpu) const;
  /// The file that this call reads before it answers; empty without such a fault.
  std::string file_behind(const char* call, const Gpu& gpu) const;

  std::mutex mutex_;
  int users_ = 0;
  std::vector<Board> boards_;
  std::vector<host::nvml::DeviceHandle> handles_;
  std::string scenario_name_ = "default";
  std::string control_path_;
  std::size_t control_read_ = 0;
  std::int64_t control_lines_ = 0;
  double start_ = 0;
  double now_ = 0;
  World world_;
  std::vector<Action> pending_;
  KernelLog kernel_log_;
};

/// The usual door: a call about a whole GPU.
template <class Answer>
Return ask(const char* call, Device device, Answer answer) {
  return Simulator::instance().ask(call, device, Takes::Gpu, answer);
}

/// Writes an answer; InvalidArgument where there is no place for it.
template <class Number, class Value>
Return put(Number* out, Value value) {
  if (out == nullptr) return Return::InvalidArgument;
  *out = static_cast<Number>(value);
  return Return::Success;
}

/// Writes a text with its closing zero; InsufficientSize where it does not fit.
Return put_text(char* out, std::uint32_t length, std::string_view text);

}  // namespace gpuwright::fakegpu
