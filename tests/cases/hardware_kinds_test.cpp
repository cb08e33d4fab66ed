// Faults of GPUs, links and machines in their printers' own words: the first finding is the root, what
// follows is folded under it, and what has nothing to do with it stays apart. The texts are written for this
// test after the printers' format strings.
// SPDX-License-Identifier: Apache-2.0
#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <ostream>

namespace gpuwright::tests {
namespace {

struct Kind {
  const char* cause;
  std::size_t incidents;
  const char* text;
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.cause;
}

class HardwareKind : public ::testing::TestWithParam<Kind> {};

TEST_P(HardwareKind, HasItsRootFirstAndNoFollowerBesideIt) {
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  ASSERT_EQ(diagnosis.findings.size(), GetParam().incidents) << summary(diagnosis);
  if (GetParam().incidents == 0) return;
  EXPECT_EQ(diagnosis.findings.front().cause, GetParam().cause) << summary(diagnosis);
}

const Kind kKinds[] = {
    {"gpu-lost-to-driver", 1,
     "$ nvidia-smi\n"
     "Unable to determine the device handle for GPU0000:3D:00.0: Unknown Error\n"},
    {"gpu-lost-from-bus", 1,
     "[1234567.891] NVRM: GPU at PCI:0000:a1:00: GPU-5f3b1c2d-1111-2222-3333-444455556666\n"
     "[1234567.892] NVRM: GPU Board Serial Number: 1650422011111\n"
     "[1234567.893] NVRM: Xid (PCI:0000:a1:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
     "bus.\n"
     "[1234567.894] NVRM: GPU 0000:a1:00.0: GPU has fallen off the bus.\n"
     "[1234567.895] NVRM: GPU 0000:a1:00.0: GPU serial number is 1650422011111.\n"
     "[1234567.896] NVRM: A GPU crash dump has been created. If possible, please run\n"
     "[1234567.897] NVRM: nvidia-bug-report.sh as root to collect this data before\n"
     "[1234567.898] NVRM: the NVIDIA kernel module is unloaded.\n"
     "$ nvidia-smi\n"
     "Unable to determine the device handle for GPU0000:A1:00.0: Unknown Error\n"},
    {"gsp-crashed", 1,
     "NVRM: Xid (PCI:0000:18:00): 120, pid='<unknown>', name=<unknown>, GSP task exception: MPU fault "
     "(cause:0x5) @ pc:0x51f30f2, partition:4#0, task:1\n"
     "NVRM: GPU0 GSP task exception: timeout (cause:0x45) @ pc:0x5127010, partition:4#0, task:1\n"
     "NVRM: Xid (PCI:0000:18:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset "
     "Required)\n"
     "NVRM: rpcRmApiAlloc_GSP: GspRmAlloc failed: hClient=0xc1d0a2a9; hParent=0x00000000; "
     "hObject=0x00000000; hClass=0x00000000; paramsSize=0x00000078; paramsStatus=0x00000062; "
     "status=0x00000062\n"},
    {"gsp-not-answering", 1,
     "NVRM: _kgspIsHeartbeatTimedOut: Heartbeat timed out, new: 1111 old: 1000 diff: 111 timeout: 5200\n"
     "NVRM: Xid (PCI:0000:0b:00): 119, pid=991, name=nvidia-smi, Timeout after 6s of waiting for RPC "
     "response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) sequence 4129 (0x20800a4c 0x4).\n"},
    {"memory-row-remap-failed", 1,
     "[ 88.1] NVRM: Xid (PCI:0000:87:00): 48, pid=1022, name=python3, DBE (double bit error) ECC Error\n"
     "[ 88.1] NVRM: Xid (PCI:0000:87:00): 64, pid=1022, name=python3, Row remapping pending: failed to write "
     "the row remapping entry to InfoROM\n"
     "[ 88.2] NVRM: Xid (PCI:0000:87:00): 95, pid=1022, name=python3, Uncontained: FBHUB (0x1,0x2). RST: "
     "Yes, D-RST: No\n"},
    {"uncontained-memory-error", 1,
     "[ 12.0] NVRM: Xid (PCI:0000:0a:00): 95, pid=3310, name=python, Uncontained: DRAM (0x1,0x0). physAddr: "
     "0x00000003c2ea0000 RST: Yes, D-RST: No\n"
     "[ 12.1] NVRM: Xid (PCI:0000:0a:00): 63, pid=3310, name=python, Row Remapper: New row "
     "(0x00000003c2ea0000) marked for remapping, reset gpu to activate.\n"
     "[ 12.2] NVRM: Xid (PCI:0000:0a:00): 45, pid=3310, name=python, Ch 00000010\n"
     "[ 12.3] NVRM: Xid (PCI:0000:0a:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset "
     "Required)\n"
     "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"},
    {"pmu-halted", 1,
     "[Sun Apr  6 13:20:01 2025] NVRM: Xid (PCI:0000:01:00): 62, pid='<unknown>', name=<unknown>, 23c1(3098) "
     "00000000 00000000\n"
     "[Sun Apr  6 13:20:01 2025] NVRM: Xid (PCI:0000:01:00): 45, pid=3391, name=python, Ch 00000008\n"
     "[Sun Apr  6 13:20:05 2025] NVRM: Xid (PCI:0000:01:00): 61, pid='<unknown>', name=<unknown>, 0d40(31c0) "
     "00000000 00000000\n"},
    {"mmu-fault-on-one-gpu", 1,
     "Jun 01 01:10:00 n1 kernel: NVRM: Xid (PCI:0000:5d:00): 31, pid=1100, name=python3, Ch 00000008, intr "
     "00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7f2a_12340000. Fault is of type "
     "FAULT_PDE ACCESS_TYPE_VIRT_READ\n"
     "Jun 01 05:40:00 n1 kernel: NVRM: Xid (PCI:0000:5d:00): 31, pid=9100, name=vllm, Ch 00000009, intr "
     "00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7e11_aa340000. Fault is of type "
     "FAULT_PTE ACCESS_TYPE_VIRT_WRITE\n"
     "Jun 02 09:15:00 n1 kernel: NVRM: Xid (PCI:0000:5d:00): 31, pid=22100, name=gromacs, Ch 00000018, intr "
     "00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7fab_bb340000. Fault is of type "
     "FAULT_PDE ACCESS_TYPE_VIRT_READ\n"},
    {"nvlink5-peer-fault", 1,
     "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_DOWN Fatal XC0 i0 Link 03 (0x01500011 0x00000000 "
     "0x00000000 0x00000000 0x00000000 0x00000000)\n"},
    {"nvlink5-cable", 1,
     "NVRM: Xid (PCI:0000:1b:00): 149, NETIR_LINK_DOWN Fatal XC0 i0 Link 17 (0x02a00891 0x00000000 "
     "0x00000000 0x00000000 0x00000000 0x00000000)\n"},
    {"nvlink5-unit-fault", 1,
     "NVRM: Xid (PCI:0000:1b:00): 145, RLW_REMAP Fatal XC1 i0 Link -1 (0x00000082 0x00000040 0x00000000 "
     "0x00000000 0x00000000 0x00000000)\n"
     "NVRM: Xid (PCI:0000:1b:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 04 (0x000005c6 0x00000000 0x00000000 "
     "0x00000000 0x00000000 0x00000000)\n"
     "NVRM: Xid (PCI:0000:1b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset "
     "Required)\n"},
    {"nvlink5-unit-fault", 1,
     "NVRM: Xid (PCI:0000:c0:00): 144, SAW_MVB Fatal XC1 i0 Link -1 (0x00000021 0x00000002 0x00000000 "
     "0x00000000 0x00000000 0x00000000)\n"
     "NVRM: Xid (PCI:0000:c0:00): 48, pid='<unknown>', name=<unknown>, DBE (double bit error) ECC Error\n"
     "NVRM: Xid (PCI:0000:c0:00): 45, pid=3001, name=python3, Ch 00000008 caused by previous Xid 144\n"},
    {"nvswitch-engine-halted", 1,
     "[1021.5] nvidia-nvswitch3: SXid (PCI:0000:8c:00.0): 26006, Fatal, SOE halted\n"
     "[1021.5] nvidia-nvswitch3: SXid (PCI:0000:8c:00.0): 26006, Severity 1 Engine instance 00 Sub-engine "
     "instance 00\n"
     "[1021.6] nvidia-nvswitch3: SXid (PCI:0000:8c:00.0): 26006, Data {0x00000001, 0x00000000}\n"
     "[1022.0] NVRM: Xid (PCI:0000:3b:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected "
     "on link 6(0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)\n"
     "[1022.1] NVRM: Xid (PCI:0000:3b:00): 45, pid=881, name=python3, Ch 00000010\n"
     "[1022.1] NVRM: Xid (PCI:0000:86:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected "
     "on link 6(0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)\n"},
    {"nvswitch-engine-halted", 1,
     "[1021.5] nvidia-nvswitch3: SXid (PCI:0000:8c:00.0): 26006, Fatal, SOE halted\n"
     "[1021.5] nvidia-nvswitch3: SXid (PCI:0000:8c:00.0): 26006, Severity 1 Engine instance 00 Sub-engine "
     "instance 00\n"
     "[1022.0] NVRM: Xid (PCI:0000:3b:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected "
     "on link 6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)\n"
     "[1022.1] NVRM: Xid (PCI:0000:3b:00): 45, pid=881, name=python3, Ch 00000010\n"
     "[1022.1] NVRM: Xid (PCI:0000:86:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected "
     "on link 6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)\n"
     "[1022.2] NVRM: Xid (PCI:0000:86:00): 45, pid=882, name=python3, Ch 00000010\n"},
    {"nvswitch-traffic-stalled", 1,
     "[Feb 27 15:10:02] nvidia-nvswitch3: SXid (PCI:0000:86:00.0): 12028, Non-fatal, Link 61 egress "
     "non-posted PRIV error (First)\n"
     "[Feb 27 15:10:02] nvidia-nvswitch3: SXid (PCI:0000:86:00.0): 12028, Severity 0 Engine instance 61 "
     "Sub-engine instance 00\n"
     "[Feb 27 15:10:02] NVRM: Xid (PCI:0000:3b:00): 45, pid=881, name=python3, Ch 00000010\n"
     "[Feb 27 15:10:02] NVRM: Xid (PCI:0000:3b:00): 45, pid=881, name=python3, Ch 00000011\n"},
    {"gpu-lost-from-bus", 2,
     "Jan 01 01:00:00 h kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
     "Jan 03 05:00:00 h kernel: NVRM: Xid (PCI:0000:86:00): 79, pid=1, name=a, GPU has fallen off the "
     "bus.\n"},
    {"gpus-lost-together", 1,
     "Dec 31 23:59:50 h kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
     "Jan  1 00:00:10 h kernel: NVRM: Xid (PCI:0000:86:00): 79, pid=1, name=a, GPU has fallen off the "
     "bus.\n"},
    {"contained-memory-error", 2,
     "[100.1] NVRM: Xid (PCI:0000:3b:00): 94, pid=10, name=python3, Contained: SM (0x1). RST: No, D-RST: No\n"
     "[100.2] NVRM: Xid (PCI:0000:3b:00): 45, pid=10, name=python3, Ch 00000008\n"
     "[5000.1] NVRM: Xid (PCI:0000:86:00): 31, pid=99, name=gmx, Ch 00000008, intr 00000000. MMU Fault: "
     "ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7f2a_12340000. Fault is of type FAULT_PDE "
     "ACCESS_TYPE_VIRT_READ\n"},
    {"gpu-lost-from-bus", 2,
     "[100.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
     "n1:2211:2288 [1] misc/ibvwrap.cc:160 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate "
     "memory\n"},
    {"gpu-lost-after-pcie-errors", 1,
     "[ 777.1] pcieport 0000:36:01.0: AER: Uncorrected (Fatal) error received: 0000:36:01.0\n"
     "[ 777.1] pcieport 0000:36:01.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, "
     "(Receiver ID)\n"
     "[ 777.1] pcieport 0000:36:01.0:   device [8086:352a] error status/mask=00000020/00100000\n"
     "[ 777.1] pcieport 0000:36:01.0:    [ 5] SDES                   (First)\n"
     "[ 777.2] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
     "[ 777.3] pcieport 0000:36:01.0: AER: device recovery failed\n"},
    {"gpu-lost-after-pcie-errors", 1,
     "[ 777.1] pcieport 0000:36:01.0: DPC: containment event, status:0x1f01 source:0x0000\n"
     "[ 777.1] pcieport 0000:36:01.0: DPC: unmasked uncorrectable error detected\n"
     "[ 777.1] nvidia 0000:3b:00.0: AER: can't recover (no error_detected callback)\n"
     "[ 777.2] NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.\n"},
    {"gpu-lost-from-bus", 2,
     "[ 100.1] pcieport 0000:d0:01.0: AER: Corrected error received: 0000:d1:00.0\n"
     "[ 100.1] mlx5_core 0000:d1:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver "
     "ID)\n"
     "[ 100.1] mlx5_core 0000:d1:00.0:   device [15b3:1021] error status/mask=00000001/0000e000\n"
     "[ 100.1] mlx5_core 0000:d1:00.0:    [ 0] RxErr                  (First)\n"
     "[ 9000.2] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
     "bus.\n"},
    {"gpu-lost-from-bus", 2,
     "Jan 01 01:00:00 h kernel: pcieport 0000:3a:01.0: AER: Corrected error received: 0000:3b:00.0\n"
     "Jan 01 09:00:00 h kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the "
     "bus.\n"},
    {"gpu-lost-after-pcie-errors", 1,
     "Jan 01 08:58:30 h kernel: pcieport 0000:3a:01.0: AER: Corrected error received: 0000:3b:00.0\n"
     "Jan 01 09:00:00 h kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the "
     "bus.\n"},
    {"nccl-nvls-cannot-bind", 1,
     "n1:1:1 [0] transport/nvls.cc:244 NCCL WARN Cuda failure 401 'the operation cannot be performed in the "
     "present state'\n"
     "n1:1:1 [0] NCCL INFO transport/nvls.cc:406 -> 1\n"},
    {"gpu-count-odd", 1,
     "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"
     "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000002)\n"
     "GPU 2: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000003)\n"
     "GPU 3: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000004)\n"
     "GPU 4: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000005)\n"
     "GPU 5: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000006)\n"
     "GPU 6: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000007)\n"},
    {"gpu-lost-from-bus", 1,
     "[ 100.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
     "[ 200.1] NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x26:0xffff:1482)\n"
     "[ 200.1] NVRM: GPU 0000:3b:00.0: rm_init_adapter failed, device minor number 0\n"},
    {"-", 0,
     "[ 100.1] NVRM: Xid (PCI:0000:c5:00): 163, pid='<unknown>', name=<unknown>, Power Smoothing HW "
     "Circuitry capability disengaged\n"
     "[ 700.1] NVRM: Xid (PCI:0000:c5:00): 162, pid='<unknown>', name=<unknown>, Power Smoothing HW "
     "Circuitry capability reengaged\n"},
    {"gpu-reset-asked", 1,
     "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable\n"
     "$ nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv,noheader\n"
     "0, None\n"
     "6, Reset\n"},
    {"gpu-lost-from-bus", 1,
     "Jan 17 11:33:15 E kernel: NVRM: GPU at PCI:0000:01:00: GPU-ccdb674e-0f5b-c678-9099-59940ccd0641\n"
     "Jan 17 11:33:15 E kernel: NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has "
     "fallen off the bus.\n"
     "Jan 17 11:33:15 E kernel: NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.\n"
     "Jan 17 11:33:15 E kernel: nvidia-modeset: ERROR: GPU:0: Failed to query display engine channel state: "
     "0x0000c67e:6:0:0x0000000f\n"
     "Jan 17 11:33:18 E kernel: nvidia-modeset: ERROR: GPU:0: Failed detecting connected display devices\n"
     "Jan 17 11:33:20 E kernel: nvidia-modeset: ERROR: GPU:0: Error while waiting for GPU progress: "
     "0x0000c67d:0 2:0:4048:4040\n"
     "Jan 17 11:33:20 E kernel: NVRM: _threadNodeCheckTimeout: API_GPU_ATTACHED_SANITY_CHECK failed!\n"
     "Jan 17 11:33:20 E kernel: NVRM: _issueRpcAndWait: rpcSendMessage failed with status 0x0000000f for fn "
     "78 sequence 1016221!\n"},
    {"nvlink5-job-lost-follow-154", 1,
     "Detected XID 145 for GPU 0 Please consult the documentation for details of this XID.\n"
     "NVRM: Xid (PCI:0000:c5:00): 145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 (0x04084507 0x00000004 "
     "0x00000000 0x00000000 0x00000000 0x00000000)\n"},
    {"gpu-row-remap-pending", 1,
     "[Mon Oct 20 11:50:01 2025] NVRM: Xid (PCI:0000:1b:00): 63, pid='<unknown>', name=<unknown>, Row "
     "Remapper: New row (0x0000000b1d3c2000) marked for remapping, reset gpu to activate.\n"
     "[Mon Oct 20 11:50:01 2025] NVRM: Xid (PCI:0000:1b:00): 94, pid=12, name=python3, Contained: DRAM "
     "(0x1,0x0). RST: No, D-RST: Yes\n"
     "==============NVSMI LOG==============\n"
     "Driver Version                            : 580.65.06\n"
     "CUDA Version                              : 13.0\n"
     "Attached GPUs                             : 1\n"
     "GPU 00000000:1B:00.0\n"
     "    Product Name                          : NVIDIA A100-SXM4-80GB\n"
     "    ECC Errors\n"
     "        Volatile\n"
     "            SRAM Correctable              : 0\n"
     "            SRAM Uncorrectable            : 0\n"
     "            DRAM Correctable              : 0\n"
     "            DRAM Uncorrectable            : 1\n"
     "    Remapped Rows\n"
     "        Correctable Error                 : 0\n"
     "        Uncorrectable Error               : 1\n"
     "        Pending                           : Yes\n"
     "        Remapping Failure Occurred        : No\n"},
    {"nic-failed", 1,
     "Oct 20 11:48:00 h kernel: mlx5_core 0000:5e:00.0: poll_health:825:(pid 0): Fatal error 3 detected\n"
     "Oct 20 11:48:00 h kernel: mlx5_core 0000:5e:00.0: mlx5_error_sw_reset:241:(pid 1121): start\n"
     "h2:900:951 [0] transport/net_ib.cc:94 NCCL WARN NET/IB : mlx5_2:1 Got async event : device fatal "
     "error\n"
     "[rank0]:[E1020 12:00:00.100 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation "
     "timeout: WorkNCCL(SeqNum=233, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran "
     "for 600021 milliseconds before timing out.\n"},
    {"gpu-lost-from-bus", 1, "XidCriticalError: Xid=79\n"},
    {"gpu-lost-from-bus", 1,
     "[ 301.1] NVRM: Xid (PCI:0000:09:00): 79, pid=0, GPU has fallen off the bus.\n"
     "[ 301.8] xhci_hcd 0000:09:00.2: Refused to change power state, currently in D3\n"
     "[ 322.1] NVRM: GPU 0000:09:00.0: RmInitAdapter failed! (0x22:0x56:894)\n"
     "[ 322.2] NVRM: osInitNvMapping: *** Cannot attach gpu\n"},
    {"gpu-lost-from-bus", 2,
     "[ 500.1] pcieport 0000:c0:01.1: AER: Corrected error received: 0000:c1:00.0\n"
     "[ 500.1] mlx5_core 0000:c1:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver "
     "ID)\n"
     "[ 700.1] NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.\n"},
    {"gpu-lost-after-pcie-errors", 1,
     "[ 500.1] pcieport 0000:c0:01.1: AER: Corrected error received: id=c009\n"
     "[ 700.1] NVRM: Xid (PCI:0000:c1:00): 79, pid=1, GPU has fallen off the bus.\n"},
    {"pcie-link-marginal", 2,
     "[ 100.1] pcieport 0000:40:01.1: AER: Corrected error received: 0000:41:00.0\n"
     "[ 100.1] nvidia 0000:41:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n"
     "[ 100.4] pcieport 0000:80:01.1: AER: Corrected error received: 0000:81:00.0\n"
     "[ 100.4] nvidia 0000:81:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver "
     "ID)\n"},
    {"pmu-halted", 1,
     "[ 10.1] NVRM: Xid (PCI:0000:01:00): 62, 32f3(4f40) 00000000 00000000\n"
     "[ 16.1] NVRM: Xid (PCI:0000:01:00): 119, pid=1403, name=Xorg, Timeout after 6s of waiting for RPC "
     "response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20800a4c 0x4).\n"},
    {"gpu-power-cable-missing", 1,
     "NVRM: GPU 0000:21:00.0: GPU does not have the necessary power cables connected.\n"
     "NVRM: GPU 0000:21:00.0: RmInitAdapter failed! (0x24:0x1c:1436)\n"},
    {"power-supply-failed", 1,
     " 1 | 03/04/2025 | 02:11:01 | Power Supply PSU3 | Power Supply AC lost | Asserted\n"
     "[Tue Mar  4 02:11:09 2025] NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.\n"
     "[Tue Mar  4 02:11:09 2025] NVRM: Xid (PCI:0000:42:00): 79, pid=1, GPU has fallen off the bus.\n"},
    {"gpu-lost-from-bus", 2,
     " 1 | 03/04/2023 | 02:11:01 | Power Supply PSU3 | Power Supply AC lost | Asserted\n"
     "[Tue Mar  4 02:11:09 2025] NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.\n"},
    {"host-memory-uncorrectable", 1,
     "[ 261.2] {1}[Hardware Error]: event severity: recoverable\n"
     "[ 261.2] {1}[Hardware Error]:   section_type: memory error\n"
     "[ 261.3] Memory failure: 0xe16677: already hardware poisoned\n"},
    {"host-memory-correctable", 1,
     "{1}[Hardware Error]: event severity: corrected\n"
     "{1}[Hardware Error]:   section_type: memory error\n"},
    {"iommu-fault", 0,
     "[ 0.3] DMAR: DRHD: handling fault status reg 3\n"
     "[ 0.6] DMAR-IR: Enabled IRQ remapping in x2apic mode\n"},
    {"driver-call-stuck", 1,
     "[ 81.1] INFO: task nvidia-smi:991 blocked for more than 120 seconds.\n"
     "[ 81.1]  os_acquire_rwlock_read+0x35/0x50 [nvidia]\n"},
    {"nic-driver-cannot-start", 1,
     "[ 5.6] mlx5_core 0000:01:00.0: mlx5_load_one failed with error code -22\n"
     "[ 5.7] mlx5_core: probe of 0000:01:00.0 failed with error -22\n"},
    {"nic-failed", 1, "mlx5_core: probe of 0000:c1:00.0 failed with error -110\n"},
    {"nic-transmit-stuck", 1,
     "[ 71.1] mlx5_core 0000:17:00.0 eth2: TX timeout detected\n"
     "[ 97.1] watchdog: BUG: soft lockup - CPU#7 stuck for 26s! [ksoftirqd/7:52]\n"},
    {"ib-interface-down", 1,
     "mlx5_0 port 1 ==> ibs10 (Up)\n"
     "mlx5_2 port 1 ==> ens3f0np0 (Down)\n"
     "mlx5_3 port 1 ==> ibs12 (Down)\n"},
    {"ib-link-unstable", 1,
     "symbol_error:2331\n"
     "link_error_recovery:12\n"
     "port_rcv_errors:20133\n"},
    {"ib-receive-errors", 0,
     "symbol_error:0\n"
     "port_rcv_errors:0\n"},
    {"bench-rdma-slow", 1,
     "CA 'mlx5_4'\n"
     "\tPort 1:\n"
     "\t\tState: Active\n"
     "\t\tRate: 400\n"
     "                    RDMA_Write BW Test\n"
     " Dual-port       : OFF\t\tDevice         : mlx5_4\n"
     " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
     " 65536      5000             98.90              24.60                0.046919\n"},
    {"slurm-node-unreachable", 1,
     "JobID|JobName|State|ExitCode|NodeList\n"
     "9911|llama|NODE_FAIL|0:0|n17\n"
     "9911.batch|batch|CANCELLED|0:15|n17\n"},
    {"slurm-gpu-missing", 1,
     "May 23 12:49:52 mgmt1 slurmctld[80]: slurmctld: _node_config_validate: gres/gpu: Count changed on node "
     "n1 (4 != 3)\n"
     "May 23 12:49:52 mgmt1 slurmctld[80]: slurmctld: error: Setting node n1 state to INVAL with "
     "reason:gres/gpu count reported lower than configured (3 < 4)\n"},
    {"gpu-row-remap-pending", 1,
     "| Overall Health            | Warning                                                  |\n"
     "| GPU                       |                                                          |\n"
     "| -> 2                      | Warning                                                  |\n"
     "|    -> Errors              |                                                          |\n"
     "|       -> Memory system    | Warning                                                  |\n"
     "|                           | GPU 2 has pending row remappings.                        |\n"},
    {"dcgm-test-cuda-error", 1,
     "Successfully ran diagnostic for group.\n"
     "+-----  Stress  ------------+------------------------------------------------+\n"
     "| Targeted Stress           | Fail - GPU: 1                                  |\n"
     "| Warning                   | GPU 1 had CUDA API error                       |\n"
     "|                           | cudaErrorLaunchFailure                         |\n"
     "+---------------------------+------------------------------------------------+\n"},
    {"nvswitch-potentially-fatal", 1,
     "nvidia-nvswitch1: SXid (PCI:0000:c2:00.0): 11012, Fatal, Link 04 ingress ECC\n"},
    {"cuda-gpu-held-exclusively", 2,
     "==============NVSMI LOG==============\n"
     "Attached GPUs                             : 1\n"
     "GPU 00000000:19:00.0\n"
     "    Product Name                          : NVIDIA H100 80GB HBM3\n"
     "    Compute Mode                          : Exclusive_Process\n"
     "    Remapped Rows\n"
     "        Uncorrectable Error               : 1\n"
     "        Pending                           : Yes\n"
     "        Remapping Failure Occurred        : No\n"
     "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable\n"},
    {"ib-link-unstable", 1,
     "Troubleshooting Info\n"
     "--------------------\n"
     "Status Opcode                      : 15\n"
     "Recommendation                     : Bad signal integrity\n"},
    {"ib-no-link-partner", 1, "Recommendation                     : Cable is unplugged\n"},
    {"host-memory-correctable", 1,
     "Memory controller events summary:\n"
     "\tCorrected on DIMM Label(s): 'CPU_SrcID#0_MC#1_Chan#0_DIMM#0' location: 1:0:0:-1 errors: 1832\n"},
};

INSTANTIATE_TEST_SUITE_P(All, HardwareKind, ::testing::ValuesIn(kKinds));

}  // namespace
}  // namespace gpuwright::tests
