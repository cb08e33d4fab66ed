// The driver stack: what is loaded, what lies on disk, what the next boot will load, and the services that
// belong to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// One loaded kernel module of those that matter here.
struct ModuleFacts {
  Field<std::string> name;
  Field<std::string> version;
  Field<std::int64_t> users;                ///< reference count
  Field<std::vector<std::string>> holders;  ///< modules that use it

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("version", self.version);
    visit("users", self.users);
    visit("holders", self.holders);
  }
};

/// One installed kernel: what the driver finds there.
struct KernelFacts {
  Field<std::string> release;
  Field<bool> running;
  Field<bool> has_headers;
  Field<std::vector<std::string>> nvidia_modules;  ///< paths of nvidia.ko of every kind
  Field<std::string> dkms;                         ///< "installed", "built", "added", "none"
  Field<std::string> module_version;
  Field<std::string> module_license;  ///< "Dual MIT/GPL" is the open flavour, "NVIDIA" the proprietary one
  Field<std::string> module_signer;
  Field<std::vector<std::string>> duplicate_modules;  ///< modules of the RDMA stack that lie there twice
  Field<std::vector<std::string>> rdma_modules;       ///< paths of the RDMA stack that modprobe will load
  Field<std::string> headers_package;  ///< "available" or "none": in the enabled repositories, where none is
                                       ///< installed for the running kernel

  std::string key() const { return key_text(release); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("release", self.release);
    visit("running", self.running);
    visit("has_headers", self.has_headers);
    visit("nvidia_modules", self.nvidia_modules);
    visit("dkms", self.dkms);
    visit("module_version", self.module_version);
    visit("module_license", self.module_license);
    visit("module_signer", self.module_signer);
    visit("duplicate_modules", self.duplicate_modules);
    visit("rdma_modules", self.rdma_modules);
    visit("headers_package", self.headers_package);
  }
};

/// One file that steers the loading of modules.
struct ModprobeFile {
  Field<std::string> path;
  Field<bool> is_read;  ///< false: modprobe ignores it, its name does not end in .conf
  Field<std::vector<std::string>> blacklists;
  Field<std::vector<std::string>> options;  ///< "nvidia NVreg_EnableGpuFirmware=0"

  std::string key() const { return key_text(path); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("path", self.path);
    visit("is_read", self.is_read);
    visit("blacklists", self.blacklists);
    visit("options", self.options);
  }
};

/// One installed package of the driver, container or RDMA stack.
struct PackageFacts {
  Field<std::string> name;
  Field<std::string> version;
  Field<std::string> state;  ///< "installed", "half-configured", "held" ...

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("version", self.version);
    visit("state", self.state);
  }
};

/// One line of the package manager's sources that names a repository of NVIDIA.
struct RepositoryFacts {
  Field<std::string> path;  ///< "/etc/apt/sources.list.d/cuda.list"
  Field<std::string> address;
  Field<std::string> key_file;  ///< signed-by or gpgkey; "none" where the line names none
  Field<bool> has_key;          ///< that file is there; of "none": the old common keyring may have it

  std::string key() const { return key_text(path) + " " + key_text(address); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("path", self.path);
    visit("address", self.address);
    visit("key_file", self.key_file);
    visit("has_key", self.has_key);
  }
};

/// One service of systemd.
struct ServiceFacts {
  Field<std::string> name;
  Field<std::string> load;    ///< "loaded", "not-found", "masked"
  Field<std::string> active;  ///< "active", "failed", "inactive"
  Field<std::string> sub;
  Field<std::string> result;
  Field<std::string> enabled;

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("load", self.load);
    visit("active", self.active);
    visit("sub", self.sub);
    visit("result", self.result);
    visit("enabled", self.enabled);
  }
};

/// One device node of the driver.
struct DeviceNode {
  Field<std::string> path;
  Field<std::string> mode;  ///< "0666"
  Field<std::int64_t> owner;
  Field<std::int64_t> group;
  Field<std::int64_t> major;
  Field<std::int64_t> minor;
  Field<bool> char_link;  ///< /dev/char/MAJOR:MINOR leads to it

  std::string key() const { return key_text(path); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("path", self.path);
    visit("mode", self.mode);
    visit("owner", self.owner);
    visit("group", self.group);
    visit("major", self.major);
    visit("minor", self.minor);
    visit("char_link", self.char_link);
  }
};

/// A process that holds a device of the driver open.
struct GpuHolder {
  Field<std::int64_t> pid;
  Field<std::string> command;
  Field<std::vector<std::string>> devices;
  Field<std::string> control_group;

  std::string key() const { return key_text(pid); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("pid", self.pid);
    visit("command", self.command);
    visit("devices", self.devices);
    visit("control_group", self.control_group);
  }
};

/// The NVIDIA driver.
struct DriverFacts {
  Field<std::string> loaded_version;        ///< of the module that runs
  Field<std::string> flavour;               ///< "open" or "proprietary"
  Field<std::string> libnvidia_ml_version;  ///< of libnvidia-ml.so.1 on disk
  Field<std::string> libcuda_version;
  Field<std::string> gsp_firmware;                    ///< "on" or "off": of the loaded module's options
  Field<std::vector<std::string>> parameters;         ///< of the loaded module, "Name: value"
  Field<std::vector<std::string>> firmware_versions;  ///< folders below /lib/firmware/nvidia
  Field<std::int64_t> gpus_held;                      ///< by the driver
  Field<std::int64_t> nvswitches;
  Field<std::string> fabric_manager_version;
  Field<std::string> imex_version;
  Field<std::string> container_stack_driver;  ///< a driver that a container brought to /run/nvidia/driver
  Field<bool> nouveau_in_initramfs;
  Field<bool> nvidia_in_initramfs;
  Field<std::vector<ModuleFacts>> modules;
  Field<std::vector<KernelFacts>> kernels;
  Field<std::vector<ModprobeFile>> modprobe_files;
  Field<std::vector<PackageFacts>> packages;
  Field<std::vector<RepositoryFacts>> repositories;
  Field<std::vector<DeviceNode>> device_nodes;
  Field<std::vector<GpuHolder>> holders;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("loaded_version", self.loaded_version);
    visit("flavour", self.flavour);
    visit("libnvidia_ml_version", self.libnvidia_ml_version);
    visit("libcuda_version", self.libcuda_version);
    visit("gsp_firmware", self.gsp_firmware);
    visit("parameters", self.parameters);
    visit("firmware_versions", self.firmware_versions);
    visit("gpus_held", self.gpus_held);
    visit("nvswitches", self.nvswitches);
    visit("fabric_manager_version", self.fabric_manager_version);
    visit("imex_version", self.imex_version);
    visit("container_stack_driver", self.container_stack_driver);
    visit("nouveau_in_initramfs", self.nouveau_in_initramfs);
    visit("nvidia_in_initramfs", self.nvidia_in_initramfs);
    visit("modules", self.modules);
    visit("kernels", self.kernels);
    visit("modprobe_files", self.modprobe_files);
    visit("packages", self.packages);
    visit("repositories", self.repositories);
    visit("device_nodes", self.device_nodes);
    visit("holders", self.holders);
  }
};

}  // namespace gpuwright::model
