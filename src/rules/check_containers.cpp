// Containers get their GPUs by agreement of engine, toolkit, cgroup driver and device nodes. Source: NVIDIA
// container toolkit documentation; CDI and OCI specifications; CUDA compatibility guide (floors of majors).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_containers.h"

#include "base/text.h"
#include "rules/machine_words.h"

#include <algorithm>
#include <set>

namespace gpuwright::rules {

namespace {

using List = std::vector<std::string>;

bool holds(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// The toolkit's version, of its tool or its package; null where it is not installed.
const model::Field<std::string>* toolkit_version(const model::Machine& machine) {
  if (machine.containers.toolkit_version.known()) return &machine.containers.toolkit_version;
  for (const char* name : {"nvidia-container-toolkit", "nvidia-container-toolkit-base"}) {
    const model::PackageFacts* package = package_named(machine, name);
    if (package != nullptr && package->version.known()) return &package->version;
  }
  return nullptr;
}

bool is_gpu_spec(const model::CdiSpec& spec) {
  const std::string kind = model::key_text(spec.kind);
  return kind == "nvidia.com/gpu" || kind == "k8s.device-plugin.nvidia.com/gpu";
}

/// A version, a package, a configuration or a specification for CDI tells that it is installed.
bool has_toolkit(const model::Machine& machine) {
  const auto& specs = model::each(machine.containers.cdi_specs);
  return toolkit_version(machine) != nullptr || machine.containers.toolkit_mode.known() ||
         std::any_of(specs.begin(), specs.end(), is_gpu_spec);
}

bool has_docker(const model::Machine& machine) {
  return machine.containers.docker_version.known() || machine.containers.docker_default_runtime.known() ||
         package_named(machine, "docker-ce") != nullptr || package_named(machine, "docker.io") != nullptr;
}

/// The field that says that systemd guards the devices of containers here; null where none does.
const model::Field<std::string>* systemd_guards(const model::Machine& machine) {
  const model::ContainerFacts& facts = machine.containers;
  if (has_docker(machine) && model::key_text(facts.docker_cgroup_driver) == "systemd")
    return &facts.docker_cgroup_driver;
  if (is_kubernetes_node(machine) && model::key_text(facts.containerd_cgroup_driver) == "systemd")
    return &facts.containerd_cgroup_driver;
  return nullptr;
}

/// /dev/nvidia0, nvidiactl, nvidia-uvm: those that every CUDA program opens.
bool is_needed_node(std::string_view path) {
  if (path == "/dev/nvidiactl" || path == "/dev/nvidia-uvm") return true;
  return path.starts_with("/dev/nvidia") && path.size() > 11 && path[11] >= '0' && path[11] <= '9';
}

}  // namespace

model::Verdict check_char_links(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::Field<std::string>* driver = systemd_guards(machine);
  if (!has_gpu(machine) || !has_toolkit(machine) || driver == nullptr ||
      model::key_text(machine.containers.toolkit_mode) == "cdi")
    return look.not_applicable();
  look.need(machine.driver.device_nodes);
  for (const model::DeviceNode& node : model::each(machine.driver.device_nodes)) {
    if (!is_needed_node(node.key()) || !node.char_link.known() || node.char_link.value()) continue;
    look.fails("container.char_links_missing").with("node", node.key()).proof(node.char_link).proof(*driver);
    break;
  }
  return look.conclude();
}

namespace {

/// The names that CDI gives to this GPU, or to its MIG devices; empty where it is left out on purpose.
std::vector<List> wanted_names(const model::GpuFacts& facts) {
  const model::GpuReport& gpu = facts.report;
  const std::string index = model::key_text(gpu.index);
  std::vector<List> wanted;
  const bool mig = gpu.mig_current.known() ? gpu.mig_current.value() : !model::each(facts.mig).empty();
  if (gpu.excluded.known() && gpu.excluded.value()) return wanted;
  if (!mig) wanted.push_back({index, model::key_text(gpu.uuid)});
  for (const model::MigInstance& instance : model::each(facts.mig)) {
    if (mig) wanted.push_back({index + ":" + model::key_text(instance.index), instance.uuid});
  }
  return wanted;
}

void device_fails(Look& look, const char* signal, const std::string& device, const model::CdiSpec& spec) {
  look.fails(signal).with("device", device).with("spec", spec.key()).proof(spec.devices);
}

/// Each GPU and MIG device of the machine can be asked for.
bool look_at_missing(Look& look, const std::vector<model::GpuFacts>& gpus, const model::CdiSpec& spec) {
  const List& names = spec.devices.value();
  const auto is_named = [&names](const std::string& name) { return holds(names, name); };
  for (const model::GpuFacts& gpu : gpus) {
    for (const List& wanted : wanted_names(gpu)) {
      if (std::any_of(wanted.begin(), wanted.end(), is_named)) continue;
      device_fails(look, "container.cdi_device_missing", wanted.front(), spec);
      return true;
    }
  }
  return false;
}

/// Each device that the specification names by its UUID is there.
void look_at_gone(Look& look, const std::vector<model::GpuFacts>& gpus, const model::CdiSpec& spec) {
  std::set<std::string> here;
  for (const model::GpuFacts& gpu : gpus) {
    if (!gpu.report.uuid.known()) return;
    here.insert(gpu.report.uuid.value());
    for (const model::MigInstance& instance : model::each(gpu.mig)) here.insert(instance.uuid);
  }
  for (const std::string& name : spec.devices.value()) {
    const bool unique = name.starts_with("GPU-") || name.starts_with("MIG-");
    if (unique && !here.empty() && here.count(name) == 0)
      return device_fails(look, "container.cdi_device_gone", name, spec);
  }
}

/// Each file that it names is there. A copy of a machine may lack what was not copied: judged only where its
/// like was seen.
void look_at_files(Look& look, const model::Machine& machine, const model::CdiSpec& spec) {
  for (const std::string& file : model::each(spec.missing_files)) {
    const bool seen = file.starts_with("/dev/") ? !model::each(machine.driver.device_nodes).empty()
                                                : machine.driver.libnvidia_ml_version.known();
    if (!seen) continue;
    look.fails("container.cdi_file_missing")
        .with("file", file)
        .with("spec", spec.key())
        .proof(spec.missing_files);
    return;
  }
}

/// Somebody asks for devices by CDI, and no specification can answer.
bool needs_spec(const model::ContainerFacts& facts) {
  return model::key_text(facts.toolkit_mode) == "cdi" ||
         (facts.docker_cdi.known() && facts.docker_cdi.value()) ||
         (facts.podman_version.known() && !facts.docker_version.known());
}

}  // namespace

model::Verdict check_cdi_specs(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  if (!has_gpu(machine) || !has_toolkit(machine)) return look.not_applicable();
  const auto* specs = look.need(machine.containers.cdi_specs);
  bool any = false;
  for (const model::CdiSpec& spec : model::each(machine.containers.cdi_specs)) {
    if (!is_gpu_spec(spec)) continue;
    any = true;
    if (spec.devices.known() && machine.gpus.known() && !look_at_missing(look, machine.gpus.value(), spec))
      look_at_gone(look, machine.gpus.value(), spec);
    look_at_files(look, machine, spec);
    if (spec.driver_version.known() && machine.driver.libnvidia_ml_version.known() &&
        spec.driver_version.value() != machine.driver.libnvidia_ml_version.value())
      look.fails("container.cdi_other_driver")
          .with("spec_driver", spec.driver_version.value())
          .with("driver", machine.driver.libnvidia_ml_version.value())
          .with("spec", spec.key())
          .proof(spec.driver_version)
          .proof(machine.driver.libnvidia_ml_version);
  }
  if (specs != nullptr && !any && needs_spec(machine.containers))
    look.fails("container.cdi_spec_absent")
        .proof(machine.containers.cdi_specs)
        .proof(machine.containers.toolkit_mode);
  return look.conclude();
}

model::Verdict check_env_grant(Look look, const Situation& situation) {
  const model::ContainerFacts& facts = situation.machine.containers;
  const bool docker = model::key_text(facts.docker_default_runtime) == "nvidia";
  const bool containerd =
      is_kubernetes_node(situation.machine) && model::key_text(facts.containerd_default_runtime) == "nvidia";
  if (!has_gpu(situation.machine) || (!docker && !containerd)) return look.not_applicable();
  const bool* granted = look.need(facts.toolkit_unprivileged_env);
  if (granted != nullptr && *granted)
    look.fails("container.env_grants_gpu")
        .with("engine", docker ? "docker" : "containerd")
        .proof(docker ? facts.docker_default_runtime : facts.containerd_default_runtime)
        .proof(facts.toolkit_unprivileged_env);
  return look.conclude();
}

namespace {

/// The field that says that a container or pod here has user ids of its own; null where none does.
const model::Field<bool>* mapped_users(const model::Machine& machine) {
  for (const model::ContainerRecord& record : model::each(machine.containers.records)) {
    if (record.user_namespace.known() && record.user_namespace.value()) return &record.user_namespace;
  }
  for (const model::PodFacts& pod : model::each(machine.kubernetes.pods)) {
    if (pod.host_users.known() && !pod.host_users.value()) return &pod.host_users;
  }
  const auto& pods = machine.kubernetes.user_namespaces;
  return pods.known() && pods.value() ? &pods : nullptr;
}

}  // namespace

model::Verdict check_user_namespaces(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::ContainerFacts& facts = machine.containers;
  const std::string remap = model::key_text(facts.docker_user_namespaces);
  const model::Field<bool>* mapped = mapped_users(machine);
  const bool docker = !remap.empty() && remap != "off";
  for (const model::ContainerRecord& record : model::each(machine.containers.records)) {
    if (!record.unmapped_device.known()) continue;
    const std::string& device = record.unmapped_device.value();
    look.fails("container.userns_device_mode")
        .with("node", device.substr(0, device.find(' ')))
        .with("mode", device.substr(device.find(' ') + 1))
        .proof(record.unmapped_device);
    return look.conclude();
  }
  if (!docker && mapped == nullptr) return look.not_applicable();
  look.need(machine.driver.device_nodes);
  for (const model::DeviceNode& node : model::each(machine.driver.device_nodes)) {
    if (!is_needed_node(node.key()) || !node.mode.known() || node.mode.value().empty()) continue;
    if (node.mode.value().back() == '6' || node.mode.value().back() == '7') continue;
    auto failure = look.fails("container.userns_device_mode");
    failure.with("node", node.key()).with("mode", node.mode.value()).proof(node.mode);
    if (mapped != nullptr) failure.proof(*mapped);
    if (docker) failure.proof(facts.docker_user_namespaces);
    break;
  }
  return look.conclude();
}

model::Verdict check_device_rules(Look look, const Situation& situation) {
  const model::ContainerFacts& facts = situation.machine.containers;
  // Without root the engine may not write such rules, and no-cgroups is right.
  const bool as_root = is_running(service_named(situation.machine, "docker")) ||
                       (!situation.machine.management.services.known() && has_docker(situation.machine));
  if (!has_gpu(situation.machine) || !as_root || !facts.toolkit_no_cgroups.known())
    return look.not_applicable();
  const std::string mode = model::key_text(facts.toolkit_mode);
  const bool by_cdi = mode == "cdi" || mode == "jit-cdi";
  if (facts.toolkit_no_cgroups.value() && !by_cdi)
    look.fails("container.no_device_rules").proof(facts.toolkit_no_cgroups).proof(facts.docker_version);
  return look.conclude();
}

model::Verdict check_toolkit_version(Look look, const Situation& situation) {
  const auto* version = toolkit_version(situation.machine);
  if (!has_gpu(situation.machine) || version == nullptr) return look.not_applicable();
  // Packages append "-1".
  const std::string number = version->value().substr(0, version->value().find_first_of("-~+"));
  const bool legacy = model::key_text(situation.machine.containers.toolkit_mode) == "legacy" &&
                      base::compare_versions(number, "1.18.0") >= 0;
  if (base::compare_versions(number, "1.18.2") < 0 && !legacy)
    look.fails("container.toolkit_ignores_none").with("version", number).proof(*version);
  return look.conclude();
}

namespace {

/// The newest CUDA that the driver has: what it says, else by the floors of the majors.
std::string driver_cuda(const model::Machine& machine) {
  for (const model::GpuFacts& gpu : model::each(machine.gpus)) {
    if (gpu.report.cuda.known()) return gpu.report.cuda.value();
  }
  const std::string driver = model::key_text(machine.driver.loaded_version);
  if (driver.empty()) return {};
  if (base::compare_versions(driver, "525.60.13") < 0) return "11.8";
  return base::compare_versions(driver, "580.65.06") < 0 ? "12.9" : "13.9";
}

std::string major_of(const std::string& version) {
  return version.substr(0, version.find('.'));
}

/// "driver>=535": true where the loaded driver fulfils it.
bool fulfils_driver(std::string_view term, const std::string& driver) {
  const std::string_view rest = term.substr(6);
  const bool below = rest.starts_with('<');
  const std::string bound(rest.substr(rest.starts_with(">=") || rest.starts_with("<=") ? 2 : 1));
  const int order = base::compare_versions(driver, bound);
  return below ? order < 0 : order >= 0;
}

/// One alternative "cuda>=13.0" or "brand=tesla,driver>=535,driver<536": forward compatibility, which only
/// data-centre GPUs have.
bool fulfils(std::string_view alternative, const std::string& cuda, const model::Machine& machine) {
  const std::string driver = model::key_text(machine.driver.loaded_version);
  bool geforce = false;
  for (const model::GpuFacts& gpu : model::each(machine.gpus))
    geforce = geforce || base::contains(model::key_text(gpu.report.name), "GeForce");
  for (const std::string_view term : base::split(alternative, ',')) {
    if (term.starts_with("cuda>=")) {
      // Within a major minor versions run on each other.
      if (base::compare_versions(cuda, major_of(std::string(term.substr(6)))) < 0) return false;
    } else if (term.starts_with("brand=") && geforce) {
      if (!base::contains(term, "geforce")) return false;
    } else if (term.starts_with("driver")) {
      if (driver.empty() || !fulfils_driver(term, driver)) return false;
    }
  }
  return true;
}

bool runs_on(const model::ContainerRecord& record, const std::string& cuda, const model::Machine& machine) {
  if (record.requirement.known()) {
    const auto alternatives = base::words(record.requirement.value());
    return alternatives.empty() ||
           std::any_of(alternatives.begin(), alternatives.end(),
                       [&](std::string_view one) { return fulfils(one, cuda, machine); });
  }
  return !record.cuda.known() || base::compare_versions(cuda, major_of(record.cuda.value())) >= 0;
}

}  // namespace

model::Verdict check_container_cuda(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const auto& records = model::each(machine.containers.records);
  const std::string cuda = driver_cuda(machine);
  if (!has_gpu(machine) || records.empty() || cuda.empty()) return look.not_applicable();
  for (const model::ContainerRecord& record : records) {
    if (runs_on(record, cuda, machine)) continue;
    const auto& wish = record.cuda.known() ? record.cuda : record.requirement;
    look.fails("container.cuda_newer_than_driver")
        .with("needs", wish.value())
        .with("has", cuda)
        .with("container", record.name.known() ? record.name.value() : record.key())
        .proof(wish)
        .proof(machine.driver.loaded_version);
  }
  return look.conclude();
}

namespace {

/// Verbs devices of the host: RDMA ports, else adapters on the bus.
std::size_t verbs_of(const model::Machine& machine) {
  std::set<std::string> verbs;
  for (const model::RdmaFacts& port : model::each(machine.network.rdma_ports))
    verbs.insert(model::key_text(port.device));
  if (!verbs.empty()) return verbs.size();
  const auto& functions = model::each(machine.pci);
  return static_cast<std::size_t>(
      std::count_if(functions.begin(), functions.end(), [](const model::PciFunction& function) {
        return model::key_text(function.vendor) == "15b3" &&
               model::key_text(function.class_code).starts_with("02");
      }));
}

}  // namespace

model::Verdict check_container_rdma(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const std::size_t verbs = verbs_of(machine);
  const std::size_t gpus = model::each(machine.gpus).size();
  constexpr std::size_t kMany = 4;  // where the host's are not known: a container of one GPU needs one or two
  const auto& records = model::each(machine.containers.records);
  if (records.empty() || verbs == 1) return look.not_applicable();
  for (const model::ContainerRecord& record : records) {
    const List& devices = model::each(record.rdma_devices);
    const auto all =
        static_cast<std::size_t>(std::count_if(devices.begin(), devices.end(), [](const std::string& device) {
          return base::contains(device, "/uverbs");
        }));
    const std::size_t given = record.gpus.known() ? static_cast<std::size_t>(record.gpus.value()) : 0;
    const bool for_all = record.rdma_for_all.known() && record.rdma_for_all.value();
    const bool few_gpus = given > 0 && (gpus > 1 ? given * 2 <= gpus : given * 2 < all);
    const bool too_many = few_gpus && all >= (verbs == 0 ? kMany : verbs);
    if (!for_all && !too_many) continue;
    look.fails("container.all_rdma_devices")
        .with("container", record.name.known() ? record.name.value() : record.key())
        .proof(for_all ? record.id : record.name)
        .proof(record.rdma_devices);
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
