// What runs on top of the driver: CUDA, containers, Kubernetes, Slurm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// One CUDA toolkit.
struct ToolkitFacts {
  Field<std::string> path;
  Field<std::string> version;

  std::string key() const { return key_text(path); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("path", self.path);
    visit("version", self.version);
  }
};

/// One library or framework with its version: cuDNN, NCCL, torch, tensorflow.
struct LibraryFacts {
  Field<std::string> name;
  Field<std::string> path;
  Field<std::string> version;
  Field<std::string> cuda;  ///< the CUDA that it was built for

  std::string key() const { return key_text(name) + "@" + key_text(path); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("version", self.version);
    visit("cuda", self.cuda);
  }
};

/// CUDA and what was built with it.
struct CudaFacts {
  Field<std::string> default_toolkit;  ///< where /usr/local/cuda leads
  Field<std::vector<ToolkitFacts>> toolkits;
  Field<std::vector<LibraryFacts>> libraries;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("default_toolkit", self.default_toolkit);
    visit("toolkits", self.toolkits);
    visit("libraries", self.libraries);
  }
};

/// One specification of the Container Device Interface.
struct CdiSpec {
  Field<std::string> path;
  Field<std::string> kind;  ///< "nvidia.com/gpu"
  Field<std::vector<std::string>> devices;
  Field<std::vector<std::string>> missing_files;  ///< mentioned there, not on this machine
  Field<std::string> driver_version;              ///< in the names of the libraries that it mounts

  std::string key() const { return key_text(path); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("path", self.path);
    visit("kind", self.kind);
    visit("devices", self.devices);
    visit("missing_files", self.missing_files);
    visit("driver_version", self.driver_version);
  }
};

/// One container as its engine wrote it down: what it may see of the GPUs. Source: OCI runtime specification.
struct ContainerRecord {
  Field<std::string> id;
  Field<std::string> name;
  Field<std::string> cuda;             ///< CUDA_VERSION of its image
  Field<std::string> requirement;      ///< NVIDIA_REQUIRE_CUDA of its image
  Field<std::string> visible_devices;  ///< NVIDIA_VISIBLE_DEVICES
  Field<bool> rdma_for_all;    ///< a device plugin that gives every verbs device to each GPU container
  Field<bool> user_namespace;  ///< its root is another user outside
  Field<std::vector<std::string>> gpu_devices;   ///< /dev/nvidia* that it may open
  Field<std::vector<std::string>> rdma_devices;  ///< /dev/infiniband/* that it may open
  Field<std::int64_t> gpus;                      ///< that it was given; absent: not counted
  Field<std::string>
      unmapped_device;  ///< a device whose owner is nobody inside, with its mode: "/dev/nvidia0 0660"

  std::string key() const { return key_text(id); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("id", self.id);
    visit("name", self.name);
    visit("cuda", self.cuda);
    visit("requirement", self.requirement);
    visit("visible_devices", self.visible_devices);
    visit("rdma_for_all", self.rdma_for_all);
    visit("user_namespace", self.user_namespace);
    visit("gpu_devices", self.gpu_devices);
    visit("rdma_devices", self.rdma_devices);
    visit("gpus", self.gpus);
    visit("unmapped_device", self.unmapped_device);
  }
};

/// Container engines and the NVIDIA container toolkit.
struct ContainerFacts {
  Field<std::int64_t> cgroup_version;
  Field<std::string> docker_version;
  Field<std::string> docker_default_runtime;
  Field<std::vector<std::string>> docker_runtimes;
  Field<std::string> docker_cgroup_driver;
  Field<std::string> docker_live_restore;
  Field<bool> docker_cdi;                     ///< features.cdi of daemon.json; absent: the version's default
  Field<std::string> docker_user_namespaces;  ///< userns-remap of daemon.json, else "off"
  Field<std::string> containerd_version;
  Field<std::int64_t> containerd_config_version;
  Field<std::vector<std::string>> containerd_imports;
  Field<std::vector<std::string>> containerd_runtimes;
  Field<std::string> containerd_config_path;                ///< the file that this node's containerd reads
  Field<std::vector<std::string>> containerd_unread_files;  ///< with runtimes, and no import names them
  Field<std::vector<std::string>> containerd_foreign_sections;  ///< of another config version: ignored
  Field<std::vector<std::string>> containerd_disabled_plugins;
  Field<std::string> containerd_default_runtime;
  Field<std::string> containerd_cgroup_driver;
  Field<std::string> podman_version;
  Field<std::string> toolkit_version;
  Field<std::string> toolkit_mode;  ///< "auto", "legacy", "cdi"
  Field<bool> toolkit_no_cgroups;
  Field<bool> toolkit_unprivileged_env;  ///< accept-nvidia-visible-devices-envvar-when-unprivileged
  Field<bool> toolkit_volume_mounts;     ///< accept-nvidia-visible-devices-as-volume-mounts
  Field<std::string> toolkit_ldconfig;
  Field<std::vector<CdiSpec>> cdi_specs;
  Field<std::vector<ContainerRecord>> records;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("cgroup_version", self.cgroup_version);
    visit("docker_version", self.docker_version);
    visit("docker_default_runtime", self.docker_default_runtime);
    visit("docker_runtimes", self.docker_runtimes);
    visit("docker_cgroup_driver", self.docker_cgroup_driver);
    visit("docker_live_restore", self.docker_live_restore);
    visit("docker_cdi", self.docker_cdi);
    visit("docker_user_namespaces", self.docker_user_namespaces);
    visit("containerd_version", self.containerd_version);
    visit("containerd_config_version", self.containerd_config_version);
    visit("containerd_imports", self.containerd_imports);
    visit("containerd_runtimes", self.containerd_runtimes);
    visit("containerd_config_path", self.containerd_config_path);
    visit("containerd_unread_files", self.containerd_unread_files);
    visit("containerd_foreign_sections", self.containerd_foreign_sections);
    visit("containerd_disabled_plugins", self.containerd_disabled_plugins);
    visit("containerd_default_runtime", self.containerd_default_runtime);
    visit("containerd_cgroup_driver", self.containerd_cgroup_driver);
    visit("podman_version", self.podman_version);
    visit("toolkit_version", self.toolkit_version);
    visit("toolkit_mode", self.toolkit_mode);
    visit("toolkit_no_cgroups", self.toolkit_no_cgroups);
    visit("toolkit_unprivileged_env", self.toolkit_unprivileged_env);
    visit("toolkit_volume_mounts", self.toolkit_volume_mounts);
    visit("toolkit_ldconfig", self.toolkit_ldconfig);
    visit("cdi_specs", self.cdi_specs);
    visit("records", self.records);
  }
};

/// One pod of this node.
struct PodFacts {
  Field<std::string> uid;
  Field<std::string> name_space;
  Field<std::string> name;
  Field<std::int64_t> gpus;          ///< GPUs or MIG devices that kubelet gave to it
  Field<std::string> owner;          ///< kind: "DaemonSet", "Job" ...
  Field<std::string> waiting;        ///< reason of a container that does not start: "ImagePullBackOff"
  Field<std::string> waiting_image;  ///< its image
  Field<std::vector<std::string>> containers;  ///< those that have run at least once
  Field<std::string> visible_devices;          ///< NVIDIA_VISIBLE_DEVICES of its specification
  Field<std::vector<std::string>> access;      ///< how it sees all devices: "privileged", "hostPath /dev"
  Field<bool> host_users;                      ///< false: in a user namespace of its own
  Field<std::int64_t> gpus_inside;             ///< that nvidia-smi lists in it

  std::string key() const { return uid.known() ? uid.value() : key_text(name_space) + "/" + key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("uid", self.uid);
    visit("namespace", self.name_space);
    visit("name", self.name);
    visit("gpus", self.gpus);
    visit("owner", self.owner);
    visit("waiting", self.waiting);
    visit("waiting_image", self.waiting_image);
    visit("containers", self.containers);
    visit("visible_devices", self.visible_devices);
    visit("access", self.access);
    visit("host_users", self.host_users);
    visit("gpus_inside", self.gpus_inside);
  }
};

/// The kubelet and the NVIDIA device plugin.
struct KubernetesFacts {
  Field<std::string> kubelet_version;
  Field<std::string> cgroup_driver;
  Field<std::string> cpu_manager_policy;
  Field<std::string> topology_manager_policy;
  Field<std::string> memory_manager_policy;
  Field<bool> fail_swap_on;
  Field<std::vector<std::string>> device_plugins;  ///< sockets below /var/lib/kubelet/device-plugins
  Field<bool> pod_resources_socket;
  Field<std::string> driver_upgrade_state;   ///< label of the GPU operator: "upgrade-done", "drain-required"
  Field<std::int64_t> driver_upgrade_since;  ///< unix time at which the label was last written
  Field<std::vector<PodFacts>> pods;         ///< on this node
  Field<bool> user_namespaces;               ///< /etc/subuid has a range for pods with hostUsers: false

  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("kubelet_version", self.kubelet_version);
    visit("cgroup_driver", self.cgroup_driver);
    visit("cpu_manager_policy", self.cpu_manager_policy);
    visit("topology_manager_policy", self.topology_manager_policy);
    visit("memory_manager_policy", self.memory_manager_policy);
    visit("fail_swap_on", self.fail_swap_on);
    visit("device_plugins", self.device_plugins);
    visit("pod_resources_socket", self.pod_resources_socket);
    visit("driver_upgrade_state", self.driver_upgrade_state);
    visit("driver_upgrade_since_s", self.driver_upgrade_since);
    visit("pods", self.pods);
    visit("user_namespaces", self.user_namespaces);
  }
};

/// Slurm on this node.
struct SlurmFacts {
  Field<std::string> version;
  Field<std::string> node_name;
  Field<std::string> state;
  Field<std::string> reason;
  Field<std::string> gres;                     ///< "gpu:h100:8", as slurm.conf has it for this node
  Field<std::vector<std::string>> gres_lines;  ///< of gres.conf
  Field<std::vector<std::string>> gres_files;  ///< device files of gres.conf
  Field<bool> constrain_devices;
  Field<std::string> health_check_program;
  Field<std::string> select_type;
  Field<std::string> proctrack_type;
  Field<std::vector<std::string>> cgroup_options;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("version", self.version);
    visit("node_name", self.node_name);
    visit("state", self.state);
    visit("reason", self.reason);
    visit("gres", self.gres);
    visit("gres_lines", self.gres_lines);
    visit("gres_files", self.gres_files);
    visit("constrain_devices", self.constrain_devices);
    visit("health_check_program", self.health_check_program);
    visit("select_type", self.select_type);
    visit("proctrack_type", self.proctrack_type);
    visit("cgroup_options", self.cgroup_options);
  }
};

}  // namespace gpuwright::model
