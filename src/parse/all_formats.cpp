// SPDX-License-Identifier: Apache-2.0
#include "parse/bench_formats.h"
#include "parse/bmc_formats.h"
#include "parse/driver_formats.h"
#include "parse/format.h"
#include "parse/lspci.h"
#include "parse/rdma_formats.h"
#include "parse/slurm_formats.h"
#include "parse/smi_formats.h"

#include <array>

namespace gpuwright::parse {

namespace {

/// Sorted by id. The ids are those of data/formats.yaml.
constexpr std::array kFormats = {
    Format{"dcgmi-diag", parse_dcgmi_diag},
    Format{"dcgmi-discovery", parse_dcgmi_discovery},
    Format{"dcgmi-health", parse_dcgmi_health},
    Format{"dcgmi-json", parse_dcgmi_json},
    Format{"dcgmi-nvlink", parse_dcgmi_nvlink},
    Format{"dkms-status", parse_dkms_status},
    Format{"docker-info", parse_docker_info},
    Format{"ibdev2netdev", parse_ibdev2netdev},
    Format{"ibstat", parse_ibstat},
    Format{"ibstatus", parse_ibstatus},
    Format{"ibv-devinfo", parse_ibv_devinfo},
    Format{"ipmi-sel", parse_ipmi_sel},
    Format{"ipmi-sensors", parse_ipmi_sensors},
    Format{"kubectl", parse_kubectl},
    Format{"lsmod", parse_lsmod},
    Format{"lspci", parse_lspci},
    Format{"modinfo", parse_modinfo},
    Format{"nccl-tests", parse_nccl_tests},
    Format{"nvbandwidth", parse_nvbandwidth},
    Format{"nvidia-smi-csv", parse_smi_csv},
    Format{"nvidia-smi-list", parse_smi_list},
    Format{"nvidia-smi-q", parse_smi_query_text},
    Format{"nvidia-smi-table", parse_smi_table},
    Format{"nvidia-smi-topo", parse_smi_topology},
    Format{"nvidia-smi-xml", parse_smi_query_xml},
    Format{"nvml-answers", parse_nvml_answers},
    Format{"packages", parse_packages},
    Format{"perfquery", parse_perfquery},
    Format{"perftest", parse_perftest},
    Format{"proc-nvidia-gpu", parse_proc_gpu_information},
    Format{"rdma-link", parse_rdma_link},
    Format{"rdma-sysfs", parse_rdma_sysfs},
    Format{"redfish-log", parse_redfish_log},
    Format{"sacct", parse_sacct},
    Format{"scontrol-job", parse_scontrol_job},
    Format{"scontrol-node", parse_scontrol_node},
    Format{"sinfo", parse_sinfo},
    Format{"squeue", parse_squeue},
    Format{"ulimit", parse_ulimit},
};

}  // namespace

std::span<const Format> all_formats() {
  return kFormats;
}

}  // namespace gpuwright::parse
