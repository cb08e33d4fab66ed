// The visible list of collectors.
// SPDX-License-Identifier: Apache-2.0
#include "facts/asked_tools.h"
#include "facts/collector.h"

#include <array>

namespace gpuwright::facts {

using CollectFunction = void(Probe& probe, const catalog::Catalog& catalog, model::Machine& machine);
CollectFunction collect_container_records, collect_containerd, collect_containers, collect_cpu, collect_cuda,
    collect_driver, collect_gpus, collect_holders, collect_kernels, collect_kubernetes, collect_management,
    collect_memory, collect_modprobe, collect_network, collect_os, collect_packages, collect_pci,
    collect_pods, collect_repositories, collect_services, collect_slurm, collect_storage, collect_topology,
    collect_virtual;

namespace {

constexpr std::array<Collector, 24> kCollectors = {{
    {"os", "/etc/os-release, /proc, /sys/class/dmi, EFI variables, mokutil", "", collect_os},
    {"cpu", "/proc/cpuinfo, /sys/devices/system/cpu and node", "", collect_cpu},
    {"memory", "/proc/meminfo, /sys/devices/system/edac", "", collect_memory},
    {"pci", "/sys/bus/pci/devices", "ACS of the ports", collect_pci},
    {"gpus", "NVML", "processes of other users", collect_gpus},
    {"topology", "what pci and gpus found", "", collect_topology},
    {"driver", "/proc/driver/nvidia, /proc/modules, library folders, nv-fabricmanager, nvidia-imex", "",
     collect_driver},
    {"driver.kernels", "/lib/modules, /var/lib/dkms, modinfo", "", collect_kernels},
    {"driver.modprobe_files", "/etc/modprobe.d, initramfs where nouveau is loaded", "the initramfs",
     collect_modprobe},
    {"driver.packages", "dpkg-query or rpm, /dev/nvidia*", "", collect_packages},
    {"driver.repositories", "/etc/apt, /etc/yum.repos.d, /etc/zypp", "", collect_repositories},
    {"driver.holders", "/proc/*/fd", "processes of other users", collect_holders},
    {"cuda", "/usr/local/cuda-*, library folders, Python's package folders", "", collect_cuda},
    {"containers", "/etc/docker, /etc/containerd, /etc/cdi, the tools' versions", "", collect_containers},
    {"containers.containerd", "containerd's configuration and its drop-ins", "", collect_containerd},
    {"containers.records", "/run/containerd, /var/lib/docker/containers", "all of it",
     collect_container_records},
    {"kubernetes", "/var/lib/kubelet", "all of it", collect_kubernetes},
    {"kubernetes.pods", "/var/log/pods, kubelet's checkpoint of devices, kubectl get node and pods",
     "the checkpoint", collect_pods},
    {"slurm", "slurm.conf, gres.conf, cgroup.conf, scontrol", "", collect_slurm},
    {"network", "/sys/class/net, /sys/class/infiniband, ofed_info", "", collect_network},
    {"storage", "/sys/block, /proc/mdstat, mounts, df", "", collect_storage},
    {"management", "/dev/ipmi0, /sys/class/hwmon, /dev/rshim0", "the DPU's state", collect_management},
    {"management.services", "systemctl show, /proc/net/tcp", "", collect_services, true},
    {"virtual_machines", "/etc/libvirt/qemu, /etc/pve, /sys/class/mdev_bus, kvm parameters", "the guests",
     collect_virtual},
}};

}  // namespace

std::span<const Collector> all_collectors() {
  return kCollectors;
}

model::Machine collect_machine(host::Source& source, const catalog::Catalog& catalog, Extent extent) {
  model::Machine machine;
  if (source.live()) source.expect(asked_tools(catalog, extent));
  Probe probe(source, machine);
  for (const Collector& collector : all_collectors()) {
    if (collector.quick || extent == Extent::All) collector.collect(probe, catalog, machine);
  }
  return machine;
}

}  // namespace gpuwright::facts
