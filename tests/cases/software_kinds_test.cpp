// Faults of programs, ranks and job containers in their printers' own words: each text must lead to one
// finding, the root cause, with everything else folded under it; harmless texts to none. The texts are
// written for this test after the printers' format strings.
// SPDX-License-Identifier: Apache-2.0
#include "support/kinds.h"

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

class SoftwareKind : public ::testing::TestWithParam<Kind> {};

TEST_P(SoftwareKind, IsOneIncidentWithItsRootCause) {
  expect_one_incident(GetParam());
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
    {"nccl-nic-count-differs",
     "n0:11:12 [0] init.cc:1500 NCCL WARN Detected mixed local Net device counts across ranks (min 7, max "
     "8).\n"
     "ncclInternalError: Internal check failed.\n"},
    {"nccl-ras-suspect",
     "#0-0 (cf264af53edbe986) INCOMPLETE\n"
     "  Missing communicator data from 1 rank\n"
     "  Rank 5 -- GPU 5 managed by process 10192 on node 10.0.0.7\n"},
    {"cuda-feature-needs-newer-gpu", "RuntimeError: FlashAttention only supports Ampere GPUs or newer.\n"},
    {"cuda-engine-built-elsewhere",
     "[TRT] [E] 6: The engine plan file is generated on an incompatible device, expecting compute 8.6 got "
     "compute 7.5, please rebuild.\n"},
    {"cuda-toolkit-not-installed", "OSError: CUDA_HOME environment variable is not set.\n"},
    {"cuda-kernel-out-of-bounds",
     "========= Invalid __global__ write of size 4 bytes\n"
     "=========     Address 0x7f5c3e000080 is out of bounds\n"
     "CUDA error: unspecified launch failure\n"},
    {"cuda-driver-too-old",
     "n0:1:2 [0] transport/p2p.cc:275 NCCL WARN Cuda failure 'API call is not supported in the installed "
     "CUDA driver'\n"},
    {"cuda-wrong-device-index",
     "ValueError: The number of required GPUs exceeds the total number of available GPUs in the placement "
     "group.\n"},
    {"torch-not-all-joined",
     "RuntimeError: Timed out initializing process group in store based barrier on rank: 3, for key: "
     "store_based_barrier_key:1 (world_size=16, worker_count=12, timeout=0:30:00)\n"},
    {"torch-collective-timeout",
     "W stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by "
     "subset of ranks and are waiting for remainder of ranks for more than 60 seconds.\n"},
    {"torch-process-killed", "slurm_script: line 12: 22019 Killed                  python train.py\n"},
    {"torch-process-crashed",
     "srun: error: n0: task 5: Segmentation fault (core dumped)\nsrun: Terminating StepId=1.0\n"},
    {"torch-process-bus-error", "run.sh: line 4:   812 Bus error               python train.py\n"},
    {"cgroup-out-of-memory", "1234.batch   batch   team   64 OUT_OF_ME+    0:125 \n"},
    {"torch-cpu-only-build",
     "CUDA used to build PyTorch: None\nIs CUDA available: False\nNvidia driver version: 550.90.07\n"},
    {"cuda-ipc-not-possible",
     "[17.0] [n0:1:0] cuda_ipc_cache.c:201  UCX  ERROR cuIpcOpenMemHandle() failed: invalid argument\n"},
    {"geforce-without-p2p",
     "NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or "
     "IB.\n"},
    {"nvshmem-transport-failed",
     "ibgda.cpp:3620: NULL value mlx5dv_devx_uar creation failed\n"
     "WARN: init failed for remote transport: ibrc\n"},
    {"cuda-driver-files-mixed",
     "level=INFO source=gpu.go:612 msg=\"Unable to load cudart library /usr/lib/libcuda.so.535.183.01: cuda "
     "driver library init failure: 803\"\n"},
    {"gpu-reset-refused",
     "level=error msg=\"\\nThe following GPUs could not be reset:\\n  GPU 00000000:07:00.0: In use by "
     "another "
     "client\"\n"
     "level=fatal msg=\"Error applying MIG configuration with hooks: error resetting all GPUs\"\n"},
    {"k8s-evicted", "Normal  NodeHasDiskPressure  5m  kubelet  Node n0 status is now: NodeHasDiskPressure\n"},
    {"k8s-plugin-not-registered",
     "main.go:132] error starting plugins: error registering plugin: error connecting to kubelet socket\n"},
    {"dcgm-not-running", "level=error msg=\"Host engine connection invalid/disconnected\"\n"},
    {"nccl-no-more-threads-or-files",
     "RuntimeError: received 0 items of ancdata\nOSError: [Errno 24] Too many open files\n"},
    {"host-allocation-refused",
     "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: "
     "you tried to allocate 137438953472 bytes.\n"},
    {"torch-process-killed",
     "2024-01-01T10:00:00.000000Z ERROR shard-manager: launcher: Shard process was signaled to shutdown "
     "with signal 9 rank=0\n"},
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
        "[2026-01-02 03:04:05.006 Control    73] Server 95 exited with status 0\n",
        "CUDA used to build PyTorch: None\nNvidia driver version: Could not collect\n",
        "Normal  NodeHasNoDiskPressure  5m  kubelet  Node n0 status is now: NodeHasNoDiskPressure\n",
        "run.sh: line 4: 22019 Terminated              python train.py\n"})
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
