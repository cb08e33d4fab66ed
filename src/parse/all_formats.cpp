// SPDX-License-Identifier: Apache-2.0
#include "parse/bmc_formats.h"
#include "parse/driver_formats.h"
#include "parse/format.h"
#include "parse/lspci.h"
#include "parse/rdma_formats.h"
#include "parse/slurm_formats.h"

#include <array>

namespace gpuwright::parse {

namespace {

/// Sorted by id. The ids are those of data/formats.yaml.
constexpr std::array kFormats = {
    Format{"dkms-status", parse_dkms_status},
    Format{"docker-info", parse_docker_info},
    Format{"ibstat", parse_ibstat},
    Format{"ibstatus", parse_ibstatus},
    Format{"ibv-devinfo", parse_ibv_devinfo},
    Format{"ipmi-sel", parse_ipmi_sel},
    Format{"ipmi-sensors", parse_ipmi_sensors},
    Format{"kubectl", parse_kubectl},
    Format{"lsmod", parse_lsmod},
    Format{"lspci", parse_lspci},
    Format{"modinfo", parse_modinfo},
    Format{"packages", parse_packages},
    Format{"perfquery", parse_perfquery},
    Format{"rdma-link", parse_rdma_link},
    Format{"rdma-sysfs", parse_rdma_sysfs},
    Format{"redfish-log", parse_redfish_log},
    Format{"scontrol-job", parse_scontrol_job},
    Format{"scontrol-node", parse_scontrol_node},
    Format{"sinfo", parse_sinfo},
    Format{"squeue", parse_squeue},
};

}  // namespace

std::span<const Format> all_formats() {
  return kFormats;
}

}  // namespace gpuwright::parse
