// SPDX-License-Identifier: Apache-2.0
#include "report/rma_text.h"

#include "base/ids.h"
#include "base/text.h"
#include "model/fact_tree.h"
#include "report/layout.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::report {

namespace {

using catalog::Cause;
using catalog::Language;
using model::Finding;
using model::GpuReport;

constexpr const char* kUnknown = "not known";

template <class T>
std::string text_of(const model::Field<T>& field) {
  if (!field.known()) return fmt::format("{} ({})", kUnknown, model::word_of(field.reason()));
  if constexpr (std::is_same_v<T, bool>) {
    return field.value() ? "yes" : "no";
  } else {
    return base::printable(fmt::format("{}", field.value()), 200);
  }
}

std::string short_address(const std::string& text) {
  const auto address = base::PciAddress::parse(text);
  if (!address) return {};
  const std::string full = address->text();
  return full.substr(0, full.rfind('.'));
}

bool is_named(const GpuReport& gpu, const std::string& name) {
  if (name.empty() || name == model::key_text(gpu.uuid) || name == model::key_text(gpu.index)) return true;
  const std::string wanted = short_address(name);
  return !wanted.empty() && wanted == short_address(model::key_text(gpu.pci));
}

bool is_about(const model::Subject& subject, const GpuReport& gpu) {
  if (subject.id.empty()) return false;
  if (subject.id == "#" + model::key_text(gpu.index) || subject.id == model::key_text(gpu.uuid)) return true;
  const std::string id = short_address(subject.id);
  return !id.empty() && id == short_address(model::key_text(gpu.pci));
}

class Page {
 public:
  Page(const model::Machine& machine, const model::Diagnosis& diagnosis, const catalog::Catalog& catalog)
      : machine_(machine), diagnosis_(diagnosis), catalog_(catalog) {}

  std::string render(const std::string& name, const std::string& created) {
    out_ = fmt::format("GPU return material request: facts gathered by gpuwright\ncreated          {}\n",
                       created);
    if (machine_.simulated.known() && machine_.simulated.value())
      out_ += "SIMULATED GPUs: this is a demonstration\n";
    server();
    for (const model::GpuFacts& gpu : model::each(machine_.gpus)) {
      if (is_named(gpu.report, name)) section(gpu.report);
    }
    if (!machine_.gpus.known())
      out_ += fmt::format("\nGPUs             {}: the driver could not be asked\n", kUnknown);
    missing();
    return out_;
  }

 private:
  void line(const std::string& name, const std::string& value) {
    out_ += fmt::format("{:<28} {}\n", name, value);
  }

  void server() {
    out_ += "\nserver\n";
    line("vendor, product", text_of(machine_.os.vendor) + ", " + text_of(machine_.os.product));
    line("BIOS", text_of(machine_.os.bios_version) + " of " + text_of(machine_.os.bios_date));
    line("BMC firmware", text_of(machine_.management.bmc.firmware));
    line("operating system, kernel", text_of(machine_.os.name) + ", " + text_of(machine_.os.kernel));
    line("driver, flavour",
         text_of(machine_.driver.loaded_version) + ", " + text_of(machine_.driver.flavour));
  }

  void section(const GpuReport& gpu) {
    out_ += fmt::format("\nGPU {} at {}\n", text_of(gpu.index), text_of(gpu.pci));
    line("model", text_of(gpu.name));
    line("part number", text_of(gpu.part_number));
    line("serial number", text_of(gpu.serial));
    line("UUID", text_of(gpu.uuid));
    line("VBIOS", text_of(gpu.vbios));
    line("InfoROM", text_of(gpu.inforom));
    line("GSP firmware", text_of(gpu.gsp_firmware));
    history(gpu);
    rules_met(gpu);
    tried(gpu);
  }

  void history(const GpuReport& gpu) {
    out_ += "error history\n";
    line("  uncorrected, lifetime", fmt::format("DRAM {}, SRAM {}", text_of(gpu.aggregate_dram_uncorrected),
                                                text_of(gpu.aggregate_sram_uncorrected)));
    line("  corrected, lifetime", text_of(gpu.aggregate_total_corrected));
    line("  uncorrected, since reset", fmt::format("DRAM {}, SRAM {}", text_of(gpu.volatile_dram_uncorrected),
                                                   text_of(gpu.volatile_sram_uncorrected)));
    line("  remapped rows", fmt::format("corrected {}, uncorrected {}, pending {}, failed {}",
                                        text_of(gpu.remapped_corrected), text_of(gpu.remapped_uncorrected),
                                        text_of(gpu.remap_pending), text_of(gpu.remap_failed)));
    line("  banks without spare rows", text_of(gpu.banks_none));
    line("  retired pages", fmt::format("single bit {}, double bit {}", text_of(gpu.retired_single_bit),
                                        text_of(gpu.retired_double_bit)));
    line("  PCIe replays", text_of(gpu.pcie_replays));
    line("  driver asks for", text_of(gpu.recovery_action));
  }

  /// Findings about this GPU that lead to a replacement, with their lines.
  void rules_met(const GpuReport& gpu) {
    bool any = false;
    for (const Finding& finding : diagnosis_.findings) {
      const Cause* cause = catalog_.cause(finding.cause);
      if (cause == nullptr || !is_about(finding.subject, gpu)) continue;
      any = true;
      const bool now = cause->action_now == "rma";
      out_ += fmt::format("rule met: {} ({}{})\n", finding.cause,
                          fill_in(cause->title.in(Language::English), finding.params),
                          now                            ? "; replace now"
                          : cause->action_later == "rma" ? "; replace if it returns after the steps below"
                                                         : "; by itself no reason to replace");
      for (const model::Evidence& proof : finding.evidence)
        out_ += fmt::format("  {}: {}\n", evidence_where(proof), base::printable(proof.text, 200));
      for (const std::string& step : cause->later.in(Language::English))
        out_ += "  later: " + fill_in(step, finding.params) + "\n";
      for (const std::string& source : cause->sources) out_ += "  source: " + source + "\n";
    }
    if (!any) out_ += "rule met: none; nothing that was seen asks for a replacement of this GPU\n";
  }

  /// Resets and reboots that the evidence shows.
  void tried(const GpuReport& gpu) {
    out_ += "tried\n";
    bool reset = false;
    for (const Finding& finding : diagnosis_.findings) {
      for (const model::Evidence& proof : finding.evidence) {
        const bool tells = base::contains(base::lower(proof.text), "reset") && is_about(finding.subject, gpu);
        if (tells) out_ += fmt::format("  {}: {}\n", evidence_where(proof), base::printable(proof.text, 200));
        reset = reset || tells;
      }
    }
    if (!reset)
      out_ +=
          "  no reset is seen in the evidence: say here what was tried (nvidia-smi --gpu-reset, reboot, "
          "power cycle, reseat)\n";
    line("  uptime of the machine, s", text_of(machine_.os.uptime));
  }

  void missing() {
    out_ += "\nstill missing: vendors ask for these too\n";
    constexpr std::array<const char*, 4> kSteps = {
        "timeout 600 sudo nvidia-bug-report.sh --safe-mode   (it can hang on a lost GPU: the deadline ends "
        "it; then name its partial file)",
        "timeout 3600 dcgmi diag -r 3 -i INDEX --json   (drain the node first; it loads the GPU)",
        "the vendor's field diagnostic, with the node drained and the driver unloaded",
        "photograph of the board's label where serial or part number is not known above"};
    for (const char* step : kSteps) out_ += fmt::format("  - {}\n", step);
    for (const std::string& reason : diagnosis_.could_not_look)
      out_ += "  - could not look: " + base::printable(reason, 200) + "\n";
  }

  const model::Machine& machine_;
  const model::Diagnosis& diagnosis_;
  const catalog::Catalog& catalog_;
  std::string out_;
};

}  // namespace

bool asks_for_replacement(const Finding& finding, const catalog::Catalog& catalog) {
  const Cause* cause = catalog.cause(finding.cause);
  return cause != nullptr && (cause->action_now == "rma" || cause->action_later == "rma");
}

std::string render_rma_text(const model::Machine& machine, const model::Diagnosis& diagnosis,
                            const catalog::Catalog& catalog, const std::string& gpu,
                            const std::string& created) {
  return Page(machine, diagnosis, catalog).render(gpu, created);
}

bool has_gpu_named(const model::Machine& machine, const std::string& gpu) {
  const auto& gpus = model::each(machine.gpus);
  return std::any_of(gpus.begin(), gpus.end(),
                     [&gpu](const model::GpuFacts& one) { return is_named(one.report, gpu); });
}

}  // namespace gpuwright::report
