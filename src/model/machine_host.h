// The machine under the GPUs: operating system, processors, memory. Every field is a value or the reason why
// there is none; the names under which a field is shown carry its unit. Source of terms: Linux
// Documentation/admin-guide, Documentation/ABI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

/// The operating system.
struct OsFacts {
  Field<std::string> id;                         ///< "ubuntu", as /etc/os-release has it
  Field<std::string> version;                    ///< "24.04"
  Field<std::string> name;                       ///< "Ubuntu 24.04.2 LTS"
  Field<std::string> kernel;                     ///< release of the running kernel
  Field<std::string> architecture;               ///< "x86_64"
  Field<std::vector<std::string>> command_line;  ///< options of the running kernel
  Field<std::int64_t> uptime;
  Field<std::string> host_name;
  Field<std::string> virtualization;   ///< "none", "kvm", ...: what the firmware and the processor say
  Field<std::string> product;          ///< "ThinkSystem SR680a V3"
  Field<std::string> product_version;  ///< of a QEMU guest its machine type, "pc-q35-8.2"
  Field<std::string> vendor;
  Field<std::string> bios_version;
  Field<std::string> bios_date;
  Field<bool> secure_boot;
  Field<std::string> lockdown;                    ///< "none", "integrity" or "confidentiality"
  Field<std::vector<std::string>> enrolled_keys;  ///< machine owner keys, by subject
  Field<std::vector<std::string>> pending_keys;   ///< requests that wait for the console after the next boot
  Field<std::vector<std::string>> module_keys;    ///< files of keys that this machine made to sign modules
  Field<std::vector<std::string>> tested_keys;    ///< what mokutil said of single key files
  Field<bool> reboot_required;
  Field<std::int64_t> open_file_limit;     ///< of a process, soft
  Field<std::string> locked_memory_limit;  ///< "unlimited" or KiB
  Field<std::int64_t> swappiness;
  Field<std::int64_t> numa_balancing;
  Field<std::int64_t> max_map_count;
  Field<std::int64_t> kernel_tainted;
  Field<std::string> unattended_upgrades;  ///< "on" or "off" for the periodic upgrade of Debian and Ubuntu
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("id", self.id);
    visit("version", self.version);
    visit("name", self.name);
    visit("kernel", self.kernel);
    visit("architecture", self.architecture);
    visit("command_line", self.command_line);
    visit("uptime_s", self.uptime);
    visit("host_name", self.host_name);
    visit("virtualization", self.virtualization);
    visit("product", self.product);
    visit("product_version", self.product_version);
    visit("vendor", self.vendor);
    visit("bios_version", self.bios_version);
    visit("bios_date", self.bios_date);
    visit("secure_boot", self.secure_boot);
    visit("lockdown", self.lockdown);
    visit("enrolled_keys", self.enrolled_keys);
    visit("pending_keys", self.pending_keys);
    visit("module_keys", self.module_keys);
    visit("tested_keys", self.tested_keys);
    visit("reboot_required", self.reboot_required);
    visit("open_file_limit", self.open_file_limit);
    visit("locked_memory_limit", self.locked_memory_limit);
    visit("swappiness", self.swappiness);
    visit("numa_balancing", self.numa_balancing);
    visit("max_map_count", self.max_map_count);
    visit("kernel_tainted", self.kernel_tainted);
    visit("unattended_upgrades", self.unattended_upgrades);
  }
};

/// One NUMA node.
struct NumaNode {
  Field<std::int64_t> number;
  Field<std::string> cpus;  ///< "0-31,64-95"
  Field<std::int64_t> cpu_count;
  Field<base::Bytes> memory;
  Field<base::Bytes> memory_free;
  Field<std::vector<std::string>> distances;  ///< to each node
  Field<std::int64_t> hugepages_2m;
  Field<std::int64_t> hugepages_1g;

  std::string key() const { return key_text(number); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("number", self.number);
    visit("cpus", self.cpus);
    visit("cpu_count", self.cpu_count);
    visit("memory_bytes", self.memory);
    visit("memory_free_bytes", self.memory_free);
    visit("distances", self.distances);
    visit("hugepages_2m", self.hugepages_2m);
    visit("hugepages_1g", self.hugepages_1g);
  }
};

/// The processors.
struct CpuFacts {
  Field<std::string> model;
  Field<std::string> vendor;
  Field<std::int64_t> sockets;
  Field<std::int64_t> cores;    ///< physical
  Field<std::int64_t> threads;  ///< logical, online
  Field<bool> smt;
  Field<std::string> governor;  ///< of the first processor: "performance"
  Field<std::int64_t> offline;
  Field<std::string> microcode;
  Field<std::int64_t> physical_address_bits;
  Field<std::vector<std::string>> flags;  ///< of those that matter here: vmx svm avx512f amx_tile
  Field<std::vector<NumaNode>> numa_nodes;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("model", self.model);
    visit("vendor", self.vendor);
    visit("sockets", self.sockets);
    visit("cores", self.cores);
    visit("threads", self.threads);
    visit("smt", self.smt);
    visit("governor", self.governor);
    visit("offline", self.offline);
    visit("microcode", self.microcode);
    visit("physical_address_bits", self.physical_address_bits);
    visit("flags", self.flags);
    visit("numa_nodes", self.numa_nodes);
  }
};

/// One memory controller as EDAC sees it. Source: Documentation/admin-guide/RAS.
struct MemoryController {
  Field<std::string> name;
  Field<std::string> kind;
  Field<std::int64_t> corrected;
  Field<std::int64_t> uncorrected;
  Field<base::Bytes> size;

  std::string key() const { return key_text(name); }
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("kind", self.kind);
    visit("corrected", self.corrected);
    visit("uncorrected", self.uncorrected);
    visit("size_bytes", self.size);
  }
};

/// Memory of the host.
struct MemoryFacts {
  Field<base::Bytes> total;
  Field<base::Bytes> available;
  Field<base::Bytes> swap_total;
  Field<base::Bytes> shared_memory;          ///< size of /dev/shm
  Field<std::string> transparent_hugepages;  ///< "always", "madvise" or "never"
  Field<std::int64_t> hugepages_total;
  Field<std::int64_t> hugepages_free;
  Field<base::Bytes> hugepage_size;
  Field<std::vector<MemoryController>> controllers;
  template <class Self, class Visit>
  static void each_field(Self& self, Visit&& visit) {
    visit("total_bytes", self.total);
    visit("available_bytes", self.available);
    visit("swap_total_bytes", self.swap_total);
    visit("shared_memory_bytes", self.shared_memory);
    visit("transparent_hugepages", self.transparent_hugepages);
    visit("hugepages_total", self.hugepages_total);
    visit("hugepages_free", self.hugepages_free);
    visit("hugepage_size_bytes", self.hugepage_size);
    visit("controllers", self.controllers);
  }
};

}  // namespace gpuwright::model
