// See the header. Source of DCGM's labels: NVIDIA/dcgm-exporter, its documentation of metrics.
// SPDX-License-Identifier: Apache-2.0
#include "report/node_metrics.h"

#include "base/text.h"
#include "catalog/gpu_values.h"
#include "report/gpu_holders.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpuwright::report {

namespace {

using catalog::MetricOrigin;
using catalog::MetricScale;
using model::GpuState;
using model::NodeState;
using model::SampleValue;

void write(MetricsText& text, std::string_view labels, const SampleValue& value, const MetricScale& scale) {
  std::visit([&](const auto number) { text.sample(labels, number); }, catalog::metric_value(value, scale));
}

/// gpu="0",uuid="GPU-...".
std::string gpu_labels(const GpuState& gpu) {
  std::string labels;
  add_label(labels, "gpu", std::to_string(gpu.identity.index));
  if (!gpu.identity.uuid.empty()) add_label(labels, "uuid", gpu.identity.uuid);
  return labels;
}

std::string join(const std::string& labels, std::string_view more) {
  if (more.empty()) return labels;
  return labels.empty() ? std::string(more) : fmt::format("{},{}", labels, more);
}

struct Writing {
  MetricsText& text;
  const NodeState& state;
  const OwnMetrics& how;
};

// ---- families of GPUs that are computed ----

struct GpuFamily {
  const char* name;
  void (*write)(const Writing& to, const GpuState& gpu, const std::string& labels);
};

void write_info(const Writing& to, const GpuState& gpu, const std::string& labels) {
  if (!gpu.ever) return;
  std::string all = labels;
  add_label(all, "name", gpu.identity.name);
  add_label(all, "pci", gpu.identity.pci);
  add_label(all, "serial", gpu.identity.serial);
  add_label(all, "vbios_version", gpu.identity.vbios_version);
  add_label(all, "minor", gpu.identity.minor < 0 ? "" : std::to_string(gpu.identity.minor));
  to.text.sample(all, std::uint64_t{1});
}

void write_xids(const Writing& to, const GpuState& gpu, const std::string& labels) {
  for (const auto& [code, seen] : gpu.xids)
    to.text.sample(join(labels, fmt::format("xid=\"{}\"", code)), seen.count);
}

void write_xid_times(const Writing& to, const GpuState& gpu, const std::string& labels) {
  for (const auto& [code, seen] : gpu.xids) {
    if (seen.last_s > 0) to.text.sample(join(labels, fmt::format("xid=\"{}\"", code)), seen.last_s);
  }
}

void write_process_count(const Writing& to, const GpuState& gpu, const std::string& labels) {
  if (gpu.users_known) to.text.sample(labels, static_cast<std::uint64_t>(gpu.users.size()));
}

void write_age(const Writing& to, const GpuState& gpu, const std::string& labels) {
  if (gpu.ever) to.text.sample(labels, std::max(0.0, to.state.now_s - gpu.fresh_s));
}

void write_took(const Writing& to, const GpuState& gpu, const std::string& labels) {
  if (gpu.up) to.text.sample(labels, gpu.took_s);
}

void write_up(const Writing& to, const GpuState& gpu, const std::string& labels) {
  to.text.sample(labels, std::uint64_t{gpu.up ? 1U : 0U});
}

void write_hangs(const Writing& to, const GpuState& gpu, const std::string& labels) {
  to.text.sample(labels, gpu.hangs);
}

/// Holders of a GPU whose last whole answer is not old.
std::vector<GpuHolder> fresh_holders(const Writing& to, const GpuState& gpu) {
  const bool fresh = gpu.up && gpu.users_known && to.state.now_s - gpu.whole_s <= to.how.whole_stale_after_s;
  return fresh ? holders_on(gpu) : std::vector<GpuHolder>();
}

void write_user_info(const Writing& to, const GpuState& gpu, const std::string& labels) {
  for (const GpuHolder& holder : fresh_holders(to, gpu))
    to.text.sample(join(join(labels, holder_labels(holder)), holder_info(holder)), std::uint64_t{1});
}

void write_user_processes(const Writing& to, const GpuState& gpu, const std::string& labels) {
  for (const GpuHolder& holder : fresh_holders(to, gpu))
    to.text.sample(join(labels, holder_labels(holder)), holder.processes);
}

void write_user_memory(const Writing& to, const GpuState& gpu, const std::string& labels) {
  for (const GpuHolder& holder : fresh_holders(to, gpu)) {
    if (holder.processes > 0 && holder.memory_known)
      to.text.sample(join(labels, holder_labels(holder)), holder.memory_bytes);
  }
}

constexpr std::array<GpuFamily, 11> kGpuFamilies = {{
    {"gpuwright_gpu_hangs", write_hangs},
    {"gpuwright_gpu_info", write_info},
    {"gpuwright_gpu_nvml_seconds", write_took},
    {"gpuwright_gpu_process_memory_bytes", write_user_memory},
    {"gpuwright_gpu_processes", write_process_count},
    {"gpuwright_gpu_sample_age_seconds", write_age},
    {"gpuwright_gpu_up", write_up},
    {"gpuwright_gpu_user_info", write_user_info},
    {"gpuwright_gpu_user_processes", write_user_processes},
    {"gpuwright_gpu_xid_errors", write_xids},
    {"gpuwright_gpu_xid_last_timestamp_seconds", write_xid_times},
}};

// ---- families of the node that are computed ----

struct NodeFamily {
  const char* name;
  void (*write)(const Writing& to);
};

void write_node_gpus(const Writing& to) {
  const NodeState& state = to.state;
  if (state.gpus_on_bus >= 0)
    to.text.sample("state=\"on_bus\"", static_cast<std::uint64_t>(state.gpus_on_bus));
  const auto up =
      std::count_if(state.gpus.begin(), state.gpus.end(), [](const auto& entry) { return entry.second.up; });
  to.text.sample("state=\"up\"", static_cast<std::uint64_t>(up));
}

void write_node_info(const Writing& to) {
  std::string labels;
  add_label(labels, "driver_version", to.state.driver.driver_version);
  add_label(labels, "nvml_version", to.state.driver.nvml_version);
  add_label(labels, "simulated", to.state.driver.simulated ? "true" : "false");
  to.text.sample(labels, std::uint64_t{1});
}

void write_build(const Writing& to) {
  std::string labels;
  add_label(labels, "version", to.how.version);
  to.text.sample(labels, std::uint64_t{1});
}

void write_memory(const Writing& to) {
  if (to.state.self.resident_bytes > 0) to.text.sample("kind=\"resident\"", to.state.self.resident_bytes);
  if (to.state.self.proportional_bytes > 0)
    to.text.sample("kind=\"proportional\"", to.state.self.proportional_bytes);
}

/// One series an open incident; a subject that is no GPU goes by its name.
void write_incidents(const Writing& to) {
  for (const model::LiveIncident& incident : to.state.health.open) {
    std::string labels;
    add_label(labels, "cause", incident.what.cause);
    add_label(labels, "severity", severity_text(incident.what.severity, catalog::Language::English));
    const auto gpu = model::gpu_at(to.state, incident.what.subject);
    add_label(labels, "subject", incident.what.subject);
    add_label(labels, "gpu", gpu ? std::to_string(*gpu) : "");
    add_label(labels, "uuid", gpu ? to.state.gpus.at(*gpu).identity.uuid : "");
    to.text.sample(labels, incident.first_s);
  }
}

/// Of each holder the sum over its groups, each once.
void write_throttling(const Writing& to) {
  std::map<std::string, std::map<std::string, double>> groups;
  for (const auto& entry : to.state.gpus) {
    for (const model::GpuUser& user : entry.second.users) {
      if (user.cpu_throttled_s >= 0) groups[model::holder_of(user)][user.cgroup] = user.cpu_throttled_s;
    }
  }
  constexpr std::size_t kMost = 256;
  std::size_t count = 0;
  for (const auto& [holder, of_holder] : groups) {
    if (++count > kMost) return;
    double sum = 0;
    for (const auto& group : of_holder) sum += group.second;
    std::string labels;
    add_label(labels, "holder", holder);
    to.text.sample(labels, sum);
  }
}

void write_survey_age(const Writing& to) {
  const model::SurveyState& survey = to.state.survey;
  if (survey.fresh_s > 0) to.text.sample("of=\"host\"", std::max(0.0, to.state.now_s - survey.fresh_s));
  if (survey.pods_fresh_s > 0)
    to.text.sample("of=\"pods\"", std::max(0.0, to.state.now_s - survey.pods_fresh_s));
}

// ---- the history; nothing where none is kept ----

template <auto Member>
void write_of_history(const Writing& to) {
  if (to.state.history.wanted) to.text.sample("", to.state.history.*Member);
}

void write_history_up(const Writing& to) {
  if (to.state.history.wanted) to.text.sample("", std::uint64_t{to.state.history.up ? 1U : 0U});
}

void write_history_info(const Writing& to) {
  if (!to.state.history.wanted) return;
  std::string labels;
  add_label(labels, "condition", to.state.history.condition);
  add_label(labels, "path", to.state.history.path);
  to.text.sample(labels, std::uint64_t{1});
}

// ---- who is told of incidents; nothing where nobody is ----

template <auto Member>
void write_of_receivers(const Writing& to) {
  for (const model::ReceiverState& one : to.state.receivers) {
    std::string labels;
    add_label(labels, "receiver", one.name);
    to.text.sample(labels, static_cast<std::uint64_t>(one.*Member));
  }
}

constexpr std::array<NodeFamily, 31> kNodeFamilies = {{
    {"gpuwright_build_info", write_build},
    {"gpuwright_cgroup_cpu_throttled_seconds", write_throttling},
    {"gpuwright_health_last_look_timestamp_seconds",
     [](const Writing& to) {
       if (to.state.health.looked_s > 0) to.text.sample("", to.state.health.looked_s);
     }},
    {"gpuwright_history_bytes", write_of_history<&model::HistoryWriting::file_bytes>},
    {"gpuwright_history_info", write_history_info},
    {"gpuwright_history_queue_bytes", write_of_history<&model::HistoryWriting::queued_bytes>},
    {"gpuwright_history_restarts", write_of_history<&model::HistoryWriting::restarts>},
    {"gpuwright_history_ticks_dropped", write_of_history<&model::HistoryWriting::dropped>},
    {"gpuwright_history_ticks_lost", write_of_history<&model::HistoryWriting::lost>},
    {"gpuwright_history_up", write_history_up},
    {"gpuwright_history_write_seconds", write_of_history<&model::HistoryWriting::write_s>},
    {"gpuwright_incident_start_timestamp_seconds", write_incidents},
    {"gpuwright_kernel_log_lines", [](const Writing& to) { to.text.sample("", to.state.kernel.lines); }},
    {"gpuwright_kernel_log_lost", [](const Writing& to) { to.text.sample("", to.state.kernel.lost); }},
    {"gpuwright_kernel_log_unverified",
     [](const Writing& to) { to.text.sample("", to.state.kernel.unverified); }},
    {"gpuwright_node_gpus", write_node_gpus},
    {"gpuwright_node_info", write_node_info},
    {"gpuwright_notices_delivered", write_of_receivers<&model::ReceiverState::delivered>},
    {"gpuwright_notices_dropped", write_of_receivers<&model::ReceiverState::dropped>},
    {"gpuwright_notices_failed", write_of_receivers<&model::ReceiverState::failed>},
    {"gpuwright_notices_waiting", write_of_receivers<&model::ReceiverState::waiting>},
    {"gpuwright_process_cpu_seconds", [](const Writing& to) { to.text.sample("", to.state.self.cpu_s); }},
    {"gpuwright_process_resident_memory_bytes", write_memory},
    {"gpuwright_processes_left_behind",
     [](const Writing& to) { to.text.sample("", to.state.self.left_behind); }},
    {"gpuwright_receiver_up", write_of_receivers<&model::ReceiverState::up>},
    {"gpuwright_sampler_restarts",
     [](const Writing& to) { to.text.sample("", to.state.self.sampler_restarts); }},
    {"gpuwright_scrapes", [](const Writing& to) { to.text.sample("", to.state.self.scrapes); }},
    {"gpuwright_survey_age_seconds", write_survey_age},
    {"gpuwright_survey_cpu_seconds",
     [](const Writing& to) {
       if (to.state.survey.fresh_s > 0) to.text.sample("", to.state.survey.took_s);
     }},
    {"gpuwright_survey_restarts", [](const Writing& to) { to.text.sample("", to.state.survey.restarts); }},
    {"gpuwright_survey_silent",
     [](const Writing& to) { to.text.sample("", std::uint64_t{to.state.survey.silent.size()}); }},
}};

template <class Families>
auto find(const Families& families, std::string_view name) {
  const auto at =
      std::find_if(families.begin(), families.end(), [name](const auto& one) { return name == one.name; });
  return at == families.end() ? nullptr : &*at;
}

/// Series of one family that the library answers, of all GPUs.
void write_series(const Writing& to, const catalog::MetricFamilyRow& family,
                  const std::vector<std::pair<const GpuState*, std::string>>& gpus) {
  const bool often = family.period == "health";
  for (const auto& [gpu, labels] : gpus) {
    const double age = to.state.now_s - (often ? gpu->fresh_s : gpu->whole_s);
    if (!gpu->up || age > (often ? to.how.stale_after_s : to.how.whole_stale_after_s)) continue;
    for (const catalog::PlannedSeries& series : *to.how.series) {
      if (series.family != &family || series.value >= gpu->values.size()) continue;
      const SampleValue& value = gpu->values[series.value];
      if (value.known()) write(to.text, join(labels, series.labels), value, series.scale);
    }
  }
}

void write_host_series(const Writing& to, const std::string& family) {
  const double fresh_s = to.state.survey.fresh_s;
  if (fresh_s > 0 && to.state.now_s - fresh_s > to.how.whole_stale_after_s) return;
  for (const model::HostSeries& series : to.state.host_series) {
    if (series.family == family) to.text.sample(series.labels, series.value);
  }
}

// ---- DCGM's names ----

/// A label-type field's value.
std::string label_of(const NodeState& state, const GpuState& gpu, const std::string& key) {
  if (key == "driver_version") return state.driver.driver_version;
  if (key == "nvml_version") return state.driver.nvml_version;
  if (key == "serial") return gpu.identity.serial;
  if (key == "vbios_version") return gpu.identity.vbios_version;
  if (key == "inforom_version") return gpu.identity.inforom_version;
  return {};
}

/// dcgm-exporter's names for the user of a GPU; none while it has several.
void add_user_labels(std::string& labels, const GpuState& gpu) {
  const std::vector<GpuHolder> holders = holders_on(gpu);
  if (holders.size() != 1) return;
  const model::GpuUser& user = holders.front().user;
  if (!user.pod.empty()) {
    add_label(labels, "pod", user.pod);
    add_label(labels, "namespace", user.pod_namespace);
    if (!user.pod_container.empty()) add_label(labels, "container", user.pod_container);
  }
  if (!user.slurm_job.empty()) add_label(labels, "hpc_job", user.slurm_job);
}

std::string dcgm_labels(const NodeState& state, const GpuState& gpu, const DcgmMetrics& how) {
  std::string labels;
  add_label(labels, "gpu", std::to_string(gpu.identity.index));
  add_label(labels, "UUID", gpu.identity.uuid);
  add_label(labels, "pci_bus_id", gpu.identity.pci);
  add_label(labels, "device", gpu.identity.minor < 0 ? "" : fmt::format("nvidia{}", gpu.identity.minor));
  add_label(labels, "modelName", gpu.identity.name);
  add_label(labels, how.host_label, state.host);
  if (how.user_labels) add_user_labels(labels, gpu);
  for (const catalog::PlannedField& field : *how.fields) {
    if (field.origin.kind == MetricOrigin::Kind::Label)
      add_label(labels, field.name, label_of(state, gpu, field.origin.key));
  }
  return labels;
}

/// The last Xid, 0 before the first, as dashboards expect it.
std::pair<std::int64_t, double> last_xid(const GpuState& gpu) {
  std::pair<std::int64_t, double> last{0, 0};
  for (const auto& [code, seen] : gpu.xids) {
    if (seen.last_s > last.second) last = {code, seen.last_s};
  }
  return last;
}

void write_watched(MetricsText& text, const GpuState& gpu, const std::string& key,
                   const std::string& labels) {
  constexpr double kMega = 1e6;
  if (key == "xid_last") {
    text.sample(labels, static_cast<std::uint64_t>(last_xid(gpu).first));
  } else if (key == "nvlink_mb_per_second" && gpu.nvlink_bytes_per_s >= 0) {
    text.sample(labels, gpu.nvlink_bytes_per_s / kMega);
  }
}

void write_field(MetricsText& text, const GpuState& gpu, const catalog::PlannedField& field,
                 const std::string& labels) {
  if (field.origin.kind == MetricOrigin::Kind::Watch) {
    write_watched(text, gpu, field.origin.key, labels);
  } else if (field.value < gpu.values.size() && gpu.values[field.value].known()) {
    write(text, labels, gpu.values[field.value], field.scale);
  }
}

}  // namespace

std::vector<std::string> computed_families() {
  std::vector<std::string> names;
  names.reserve(kGpuFamilies.size() + kNodeFamilies.size());
  for (const GpuFamily& family : kGpuFamilies) names.emplace_back(family.name);
  for (const NodeFamily& family : kNodeFamilies) names.emplace_back(family.name);
  std::sort(names.begin(), names.end());
  return names;
}

void write_own_metrics(MetricsText& text, const NodeState& state, const OwnMetrics& how) {
  std::vector<std::pair<const GpuState*, std::string>> gpus;
  gpus.reserve(state.gpus.size());
  for (const auto& entry : state.gpus) gpus.emplace_back(&entry.second, gpu_labels(entry.second));
  const Writing to{text, state, how};
  for (const catalog::MetricFamilyRow& family : how.metrics->families) {
    text.family({family.name, family.type, family.unit, family.help});
    if (const GpuFamily* computed = find(kGpuFamilies, family.name)) {
      for (const auto& [gpu, labels] : gpus) computed->write(to, *gpu, labels);
    } else if (const NodeFamily* of_node = find(kNodeFamilies, family.name)) {
      of_node->write(to);
    } else if (family.scope == "gpu") {
      write_series(to, family, gpus);
    } else {
      write_host_series(to, family.name);
    }
  }
}

void write_dcgm_metrics(MetricsText& text, const NodeState& state, const DcgmMetrics& how) {
  std::vector<std::pair<const GpuState*, std::string>> gpus;
  gpus.reserve(state.gpus.size());
  for (const auto& entry : state.gpus)
    gpus.emplace_back(&entry.second, dcgm_labels(state, entry.second, how));
  for (const catalog::PlannedField& field : *how.fields) {
    if (field.origin.kind == MetricOrigin::Kind::Label) continue;
    text.family({field.name, field.row->type, {}, field.help, false});
    for (const auto& [gpu, labels] : gpus) {
      if (!gpu->up || state.now_s - gpu->whole_s > how.stale_after_s) continue;
      write_field(text, *gpu, field, labels);
    }
  }
}

}  // namespace gpuwright::report
