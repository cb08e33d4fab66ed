// Faults of programs, ranks and job containers in their printers' own words: each text must lead to one
// finding, the root cause, with everything else folded under it; harmless texts to none. The texts are
// written for this test after the printers' format strings.
// SPDX-License-Identifier: Apache-2.0
#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

struct Kind {
  const char* cause;
  const char* text;
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.cause;
}

class SoftwareKind : public ::testing::TestWithParam<Kind> {};

TEST_P(SoftwareKind, IsOneIncidentWithItsRootCause) {
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << summary(diagnosis);
  EXPECT_EQ(diagnosis.findings.front().cause, GetParam().cause);
}

const Kind kKinds[] = {
    {"nccl-ib-queue-fault",
     "n0:11:12 [0] transport/net_ib.cc:154 NCCL WARN NET/IB : mlx5_1:1 async fatal event on QP (0x7f00): "
     "invalid request local work queue error\n"
     "n0:11:12 [0] NCCL INFO transport/net.cc:835 -> 6\n"},
    {"nccl-ib-access-fault",
     "n1:11:12 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : mlx5_0:1 Got async event : local access "
     "violation work queue error\n"
     "n0:11:12 [0] transport/net_ib.cc:190 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<4000> with "
     "status=9 opcode=0 len=0 vendor err 138 (Send)\n"},
    {"nic-failed",
     "n0:11:12 [0] transport/net_ib.cu:80 NCCL WARN NET/IB : Got async event : local catastrophic error\n"
     "n0:11:12 [0] misc/ibvwrap.cu:220 NCCL WARN Call to ibv_get_async_event failed\n"},
    {"nccl-link-types-mixed",
     "n0:11:12 [0] NCCL WARN NET/IB : Attempted to connect incompatible devices: [0]mlx5_0:1/IB and "
     "[4]mlx5_4:1/RoCE. Try selecting NICs of only one link type using NCCL_IB_HCA\n"
     "ncclInternalError: Internal check failed.\n"},
    {"imex-domain-not-ready",
     "n0:11:12 [0] transport/p2p.cc:260 NCCL WARN Cuda failure 800 'operation not permitted'\n"
     "n0:11:12 [0] mnnvl.cc:71 NCCL WARN MNNVL (cliqueSize 8) is available but not working on this system. "
     "Check the IMEX channel configuration (/dev/nvidia-caps-imex-channels).\n"},
    {"efa-devices-not-visible",
     "n0:11:12 [0] NCCL WARN NET/OFI OFI fi_getinfo() call failed: No data available\n"
     "libfabric:85:1::core:core:fi_getinfo_():1392<warn> fi_getinfo: provider efa output empty list\n"},
    {"cuda-too-many-peers",
     "n0:11:11 [0] allocator.cc:79 NCCL WARN Cuda failure 711 'peer mapping resources exhausted'\n"
     "n0: Test NCCL failure common.cu:1091 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / "
     "'\n"},
    {"cuda-peer-access-unavailable",
     "n0:11:11 [0] allocator.cc:89 (ncclMemAlloc) NCCL WARN Cuda failure 205 'mapping of buffer object "
     "failed'\n"},
    {"nccl-nvls-cannot-bind",
     "n0:11:12 [4] transport/nvls.cc:245 NCCL WARN Cuda failure 'initialization error'\n"
     "n0:11:12 [4] NCCL INFO init.cc:872 -> 1\n"},
    {"nccl-roce-address-wrong",
     "n0:11:12 [1] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument "
     "errno 22\n"},
    {"cuda-unknown-error-while-running",
     "(W pid=5) [E ProcessGroupNCCL.cpp:916] [Rank 7] NCCL watchdog thread terminated with exception: CUDA "
     "error: unknown error\n"},
    {"fabric-manager-not-running",
     "terminate called after throwing an instance of 'std::runtime_error'\n"
     "  what():  Error (gpu_burn-drv.cpp:298): system not yet initialized\n"
     "  what():  Error (gpu_burn-drv.cpp:298): OS call failed or operation not supported on this OS\n"},
    {"fabric-manager-not-running",
     "RuntimeError: Unable to initialize backend 'cuda': INTERNAL: operation cuInit(0) failed: "
     "CUDA_ERROR_SYSTEM_NOT_READY\n"},
    {"cuda-library-needs-memory",
     "E cuda_dnn.cc:371] could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
     "E cuda_dnn.cc:338] could not destroy cudnn handle: CUDNN_STATUS_BAD_PARAM\n"},
    {"cuda-wrong-device-index",
     "MisconfigurationException: You requested gpu: [0, 1, 2, 3]\n But your machine only has: [0, 1]\n"},
    {"cuda-no-gpu-visible", "MisconfigurationException: No supported gpu backend found!\n"},
    {"cuda-mps-trouble",
     "[2026-01-02 03:04:05.006 Control    73] Server encountered a fatal exception. Shutting down\n"
     "[2026-01-02 03:04:05.007 Control    73] Server 95 exited with status 1\n"},
    {"oom-model-too-big",
     "ERROR core.py:70] RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy "
     "requests.\n"},
    {"oom-model-too-big",
     "[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMallocAsync(p, n, s): out of memory "
     "(/app/tllmBuffers.h:112)\n"},
    {"oom-model-too-big",
     "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,589,934,592 bytes (allocated so far: "
     "1,024 bytes).\n"},
    {"torch-process-killed",
     "[INFO] [launch.py:315:sigkill_handler] Killing subprocess 12\n"
     "[ERROR] [launch.py:321:sigkill_handler] ['python', 'train.py', '--local_rank=7'] exits with return "
     "code = -9\n"},
    {"torch-process-crashed",
     "[ERROR] [launch.py:321:sigkill_handler] ['python', 'train.py'] exits with return code = -11\n"},
    {"ray-worker-process-died",
     "(raylet) A worker died or was killed while executing a task by an unexpected system error.\n"
     "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"},
    {"torch-not-all-joined",
     "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 2/4 clients "
     "joined.\n"},
    {"hostname-is-loopback",
     "RuntimeError: [gloo/transport/tcp/pair.cc:799] connect [127.0.1.1]:33123: Connection refused\n"},
    {"nccl-bad-socket-interface",
     "RuntimeError: [enforce fail at gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address "
     "for: eth7\n"},
    {"container-cli-missing",
     "slurmstepd: error: pyxis: container start failed with error code: 1\n"
     "slurmstepd: error: pyxis:     [ERROR] Command not found: nvidia-container-cli, see https://x\n"
     "slurmstepd: error: pyxis:     [ERROR] /etc/enroot/hooks.d/98-nvidia.sh exited with return code 1\n"},
    {"container-cli-denied",
     "slurmstepd: error: pyxis: container start failed with error code: 1\n"
     "slurmstepd: error: pyxis:   nvidia-container-cli: container error: file lookup failed: "
     "/proc/7/root/data/c/etc/debian_version: permission denied\n"},
    {"enroot-cannot-run-program",
     "slurmstepd: error: pyxis: container start failed with error code: 1\n"
     "slurmstepd: error: pyxis:     enroot-switchroot: failed to execute: /bin/bash: No such file or "
     "directory\n"},
    {"enroot-start-failed", "slurmstepd: error: pyxis: couldn't start container\n"},
    {"pyxis-not-loaded", "srun: unrecognized option '--container-image=ubuntu'\n"},
    {"container-engine-without-cdi", "Error: stat nvidia.com/gpu=0: no such file or directory\n"},
    {"container-cdi-spec-stale",
     "Error: setting up CDI devices: failed to inject devices: failed to stat CDI host device "
     "\"/dev/dri/renderD129\": no such file or directory\n"},
    {"container-toolkit-missing",
     "ERROR: inject NVIDIA hook: stat /usr/bin/nvidia-container-runtime-hook: no such file or directory\n"},
    {"cuda-cannot-initialise",
     "docker: Error response from daemon: OCI runtime create failed: runc: stderr: nvidia-container-cli: "
     "initialization error: cuda error: unknown error\n"},
    {"k8s-plugin-sees-no-driver",
     "I1 factory.go:104] Detected non-NVML platform: could not load NVML library: libnvidia-ml.so.1: cannot "
     "open shared object file: No such file or directory\n"
     "E1 factory.go:113] If this is a GPU node, did you configure the NVIDIA Container Toolkit?\n"},
    {"gpu-lost-from-bus",
     "I1 health.go:196] XidCriticalError: Xid=79 on Device=GPU-1a2b3c4d-0003; marking device as unhealthy.\n"
     "I1 server.go:245] 'nvidia.com/gpu' device marked unhealthy: GPU-1a2b3c4d-0003\n"},
};

INSTANTIATE_TEST_SUITE_P(All, SoftwareKind, ::testing::ValuesIn(kKinds));

TEST(SoftwareKind, HarmlessLinesGiveNoFinding) {
  for (const char* text :
       {"W bfc_allocator.cc:296] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.20GiB with "
        "freed_by_count=0. The caller indicates that this is not a failure, but may cost performance.\n",
        "n0:1:2 [0] NCCL WARN NET/IB : mlx5_0:1 Got non-fatal async event: client reregistration(17)\n",
        "[2026-01-02 03:04:05.006 Control    73] Server 95 exited with status 0\n"})
    EXPECT_TRUE(diagnose(text).findings.empty()) << text << summary(diagnose(text));
}

TEST(SoftwareKind, ThePluginsXidDoesNotDoubleTheKernelLogs) {
  const model::Diagnosis both = diagnose({{"plugin.log",
                                           "I1 health.go:196] XidCriticalError: Xid=79 on "
                                           "Device=GPU-1a2b3c4d-0003; marking device as unhealthy.\n"},
                                          {"dmesg.txt",
                                           "[   12.1] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', "
                                           "name=<unknown>, GPU has fallen off the bus.\n"}});
  ASSERT_EQ(both.findings.size(), 1u) << summary(both);
  EXPECT_EQ(both.findings.front().subject.id, "0000:3b:00");
}

}  // namespace
}  // namespace gpuwright::tests
