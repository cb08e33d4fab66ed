// Faults of installation, containers and Kubernetes in their printers' own words: each text must lead to one
// finding, the root cause, with everything else folded under it. The texts are written for this test after
// the printers' format strings.
// SPDX-License-Identifier: Apache-2.0
#include "support/kinds.h"

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

class InstallKind : public ::testing::TestWithParam<Kind> {};

TEST_P(InstallKind, IsOneIncidentWithItsRootCause) {
  expect_one_incident(GetParam());
}

TEST_P(InstallKind, IsTheSameWithWindowsLineEnds) {
  std::string text;
  for (const char c : std::string(GetParam().text)) text += c == '\n' ? "\r\n" : std::string(1, c);
  const model::Diagnosis diagnosis = diagnose(text);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().cause, GetParam().cause);
}

const Kind kKinds[] = {
    {"fabric-manager-version-mismatch",
     "[Sep 12 2025 08:11:02] [INFO] [tid 2310] Fabric Manager version is : 550.90.07\n"
     "[Sep 12 2025 08:11:03] [ERROR] [tid 2310] fabric manager NVIDIA GPU driver interface version 550.90.07 "
     "don't match with driver version 550.127.05. Please update with matching NVIDIA driver package.\n"
     "Sep 12 08:11:03 h1 systemd[1]: nvidia-fabricmanager.service: Main process exited, code=exited, "
     "status=1/FAILURE\n"
     "Sep 12 08:11:03 h1 systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.\n"
     "RuntimeError: CUDA error: system not yet initialized\n"},
    {"fabric-manager-version-mismatch",
     "$ cat /proc/driver/nvidia/version\n"
     "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n"
     "$ nv-fabricmanager --version\n"
     "Fabric Manager version is : 580.82.07\n"},
    {"fabric-manager-version-mismatch",
     "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.158.01  Mon Jun\n"
     "ii  nvidia-fabricmanager-570   570.133.20-1  amd64  Fabric Manager for NVSwitch based systems.\n"},
    {"fabric-manager-not-running",
     "Error 802: system not yet initialized (Triggered internally at ../c10/cuda/CUDAFunctions.cpp:108.)\n"},
    {"fabric-manager-not-running",
     "$ systemctl status nvidia-fabricmanager\n"
     "Unit nvidia-fabricmanager.service could not be found.\n"
     "cudaGetDeviceCount returned 802\n"
     "-> system not yet initialized\n"},
    {"gpu-needs-open-modules",
     "[    4.1] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.15  Tue Jan\n"
     "[    4.5] NVRM: The NVIDIA GPU 0000:18:00.0 (PCI ID: 10de:2901)\n"
     "               NVRM: installed in this system requires use of the NVIDIA open kernel modules.\n"
     "[    4.5] NVRM: GPU 0000:18:00.0: RmInitAdapter failed! (0x22:0x56:742)\n"
     "[    4.5] NVRM: GPU 0000:18:00.0: rm_init_adapter failed, device minor number 0\n"
     "[    4.6] NVRM: The NVIDIA GPU 0000:2a:00.0 (PCI ID: 10de:2901)\n"
     "               NVRM: installed in this system requires use of the NVIDIA open kernel modules.\n"
     "[    4.6] NVRM: GPU 0000:2a:00.0: RmInitAdapter failed! (0x22:0x56:742)\n"
     "No devices were found\n"},
    {"gpu-needs-proprietary-modules",
     "[ 5.0] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  535.129.03  Release Build\n"
     "[ 5.1] NVRM: The NVIDIA GPU 0000:3b:00.0 (PCI ID: 10de:1db6)\n"
     "               NVRM: installed in this system is not supported by open\n"
     "               NVRM: nvidia.ko because it does not include the required GPU\n"
     "               NVRM: System Processor (GSP).\n"
     "[ 5.1] nvidia: probe of 0000:3b:00.0 failed with error -1\n"
     "[ 5.2] NVRM: The NVIDIA probe routine failed for 1 device(s).\n"
     "[ 5.2] NVRM: None of the NVIDIA devices were initialized.\n"},
    {"gpu-not-in-release",
     "[ 5.1] NVRM: The NVIDIA GPU 0000:41:00.0 (PCI ID: 10de:2684)\n"
     "               NVRM: installed in this system is not supported by the\n"
     "               NVRM: NVIDIA 470.256.02 driver release.\n"
     "               NVRM: Please see 'Appendix A - Supported NVIDIA GPU Products'\n"
     "[ 5.1] nvidia: probe of 0000:41:00.0 failed with error -1\n"
     "[ 5.1] NVRM: The NVIDIA probe routine failed for 1 device(s).\n"
     "[ 5.1] NVRM: None of the NVIDIA graphics adapters were initialized!\n"},
    {"gpu-needs-legacy-branch",
     "NVRM: The NVIDIA Tesla K80 GPU installed in this system is\n"
     "NVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please\n"
     "NVRM:  visit http://www.nvidia.com/object/unix.html for more\n"
     "NVRM:  information.  The 535.54.03 NVIDIA driver will ignore\n"
     "NVRM:  this GPU.  Continuing probe...\n"
     "NVRM: No NVIDIA GPU found.\n"},
    {"gpu-bar-not-assigned",
     "[    1.2] pci 0000:05:00.0: BAR 1: no space for [mem size 0x2000000000 64bit pref]\n"
     "[    1.2] pci 0000:05:00.0: BAR 1: failed to assign [mem size 0x2000000000 64bit pref]\n"
     "[    6.1] NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:\n"
     "               NVRM: BAR1 is 0M @ 0x0 (PCI:0000:05:00.0)\n"
     "[    6.1] nvidia: probe of 0000:05:00.0 failed with error -1\n"},
    {"gsp-firmware-missing",
     "[ 9.9] nvidia 0000:01:00.0: Direct firmware load for nvidia/550.54.14/gsp_ga10x.bin failed with error "
     "-2\n"
     "[ 9.9] NVRM: GPU 0000:01:00.0: RmFetchGspRmImages: No firmware image found\n"
     "[ 9.9] NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x61:0x56:1699)\n"
     "[ 9.9] NVRM: GPU 0000:01:00.0: rm_init_adapter failed, device minor number 0\n"},
    {"gsp-does-not-start",
     "[ 9.9] NVRM: GPU 0000:c1:00.0: RmInitAdapter: Cannot initialize GSP firmware RM\n"
     "[ 9.9] NVRM: GPU 0000:c1:00.0: RmInitAdapter failed! (0x62:0x40:2026)\n"},
    {"gpu-vbios-post-failed",
     "NVRM: GPU 0000:0b:00.0: RmInitAdapter failed! (0x31:0xffff:948)\n"
     "NVRM: GPU 0000:0b:00.0: rm_init_adapter failed, device minor number 0\n"},
    {"gpu-does-not-answer-at-init", "NVRM: GPU 0000:0b:00.0: RmInitAdapter failed! (0x24:0x65:1438)\n"},
    {"gpu-does-not-answer-at-init",
     "NVRM: GPU 0000:0b:00.0: RmInitAdapter failed! (0x26:0x56:1474)\n"
     "NVRM: GPU 0000:0b:00.0: rm_init_adapter failed, device minor number 3\n"},
    {"driver-cannot-init-gpu",
     "NVRM: RmInitAdapter failed! (0x25:0x40:1235)\n"
     "NVRM: rm_init_adapter failed for device bearing minor number 0\n"},
    {"secure-boot-rejects-module",
     "[ 13.4] Loading of module with unavailable key is rejected\n"
     "$ mokutil --sb-state\n"
     "SecureBoot enabled\n"
     "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service\n"
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
     "latest NVIDIA driver is installed and running.\n"},
    {"secure-boot-rejects-module",
     "modprobe: ERROR: could not insert 'nvidia_drm': Required key not available\n"},
    {"secure-boot-rejects-module",
     "insmod: ERROR: could not insert module ./nvidia.ko: Key was rejected by service\n"},
    {"secure-boot-rejects-module",
     "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7\n"
     "modprobe: ERROR: could not insert 'nvidia': Operation not permitted\n"},
    {"secure-boot-rejects-module",
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
     "latest NVIDIA driver is installed and running.\n"
     "$ mokutil --sb-state\n"
     "SecureBoot enabled\n"},
    {"mok-not-enrolled",
     "$ mokutil --list-new\n"
     "MokNew is empty\n"
     "$ mokutil --test-key /var/lib/shim-signed/mok/MOK.der\n"
     "/var/lib/shim-signed/mok/MOK.der is not enrolled\n"
     "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service\n"},
    {"library-module-mismatch",
     "NVRM: API mismatch: the client has the version 535.183.01, but\n"
     "NVRM: this kernel module has the version 535.171.04.  Please\n"
     "NVRM: make sure that this kernel module and all NVIDIA driver\n"
     "NVRM: components have the same version.\n"
     "Failed to initialize NVML: Driver/library version mismatch\n"
     "NVML library version: 535.183\n"},
    {"library-module-mismatch",
     "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown.\n"},
    {"gpu-lost-from-bus",
     "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"
     "XidCriticalError: Xid=79 on Device=GPU-1a, the device will go unhealthy.\n"
     "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."},
    {"gpu-dead-at-driver-load",
     "NVRM: The NVIDIA GPU 0000:b3:00.0\n"
     "NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
     "NVRM: fallen off the bus and is not responding to commands.\n"
     "NVRM: None of the NVIDIA devices were initialized.\n"
     "No devices were found"},
    {"driver-module-not-loaded",
     "modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.14.0-33-generic\n"},
    {"driver-module-not-loaded",
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
     "latest NVIDIA driver is installed and running.\n"
     "$ dkms status\n"
     "nvidia/550.120: added\n"},
    {"driver-module-not-loaded", "Failed to initialize NVML: Driver Not Loaded\n"},
    {"kernel-headers-missing",
     "Error! Your kernel headers for kernel 6.2.0-39-generic cannot be found at "
     "/lib/modules/6.2.0-39-generic/build or /lib/modules/6.2.0-39-generic/source.\n"
     "Please install the linux-headers-6.2.0-39-generic package or use the --kernelsourcedir option to tell "
     "DKMS where it's located.\n"
     "dkms autoinstall on 6.2.0-39-generic/x86_64 failed for nvidia(10)\n"},
    {"module-build-failed",
     "Building module:\n"
     "Cleaning build area...\n"
     "ERROR (dkms apport): kernel package linux-headers-6.11.0-26-generic is not supported\n"
     "Error! Bad return status for module build on kernel: 6.11.0-26-generic (x86_64)\n"
     "Consult /var/lib/dkms/nvidia/550.120/build/make.log for more information.\n"
     "dpkg: error processing package nvidia-dkms-550 (--configure):\n"},
    {"kernel-headers-missing",
     "Could not resolve Linux kernel version\n"
     "Error: Unable to find a match: kernel-devel-5.14.0-503.el9.x86_64\n"
     "gpu-operator   nvidia-driver-daemonset-7xzlp           0/1     CrashLoopBackOff   9 (30s ago)   25m\n"},
    {"driver-module-in-use",
     "rmmod: ERROR: Module nvidia is in use by: nvidia_uvm nvidia_drm nvidia_modeset\n"},
    {"driver-module-in-use", "modprobe: FATAL: Module nvidia_uvm is in use.\n"},
    {"module-built-for-other-kernel",
     "[ 22.1] nvidia: version magic '5.15.0-91-generic SMP mod_unload modversions ' should be "
     "'5.15.0-94-generic SMP mod_unload modversions '\n"
     "modprobe: ERROR: could not insert 'nvidia': Exec format error\n"},
    {"module-built-for-other-kernel", "[ 22.1] nvidia: disagrees about version of symbol module_layout\n"},
    {"uvm-no-address-region",
     "[   88.1] nvidia-uvm: uvm_hmm.c:123 uvm_hmm_device_register request_free_mem_region() err -34\n"
     "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment\n"},
    {"nouveau-owns-gpu",
     "Module                  Size  Used by\n"
     "nouveau              3096576  4\n"
     "nvidia_uvm 1 0\n"
     "video 65536 1 nouveau\n"
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
     "latest NVIDIA driver is installed and running.\n"},
    {"nouveau-owns-gpu",
     "ERROR: The Nouveau kernel driver is currently in use by your system.  This driver is incompatible with "
     "the NVIDIA driver, and must be disabled before proceeding.\n"},
    {"package-name-uses-dashes",
     "E: Unable to locate package cuda-12.4\n"
     "E: Couldn't find any package by glob 'cuda-12.4'\n"},
    {"cuda-repository-key-retired",
     "W: GPG error: https://developer.download.nvidia.com/compute/cuda/repos/ubuntu1804/x86_64  InRelease: "
     "The following signatures couldn't be verified because the public key is not available: NO_PUBKEY "
     "A4B469963BF863CC\n"
     "E: The repository 'https://developer.download.nvidia.com/compute/cuda/repos/ubuntu1804/x86_64  "
     "InRelease' is not signed.\n"},
    {"driver-packages-conflict",
     " nvidia-driver-535 : Depends: libnvidia-gl-535 (= 535.183.01) but it is not going to be installed\n"
     "E: Unable to correct problems, you have held broken packages.\n"},
    {"container-lost-gpu-devices",
     "root@4f1c2a:/workspace# nvidia-smi\n"
     "Failed to initialize NVML: Unknown Error\n"},
    {"container-lost-gpu-devices",
     "Jun 1 06:00:00 h systemd[1]: Reloading.\n"
     "$ docker exec t nvidia-smi\n"
     "Failed to initialize NVML: Unknown Error\n"},
    {"container-toolkit-missing",
     "docker: Error response from daemon: unknown or invalid runtime name: nvidia.\n"},
    {"container-driver-hangs",
     "nvidia-container-cli: initialization error: driver rpc error: timed out: unknown.\n"},
    {"container-driver-libraries-missing",
     "docker: Error response from daemon: failed to create task for container: failed to create shim task: "
     "OCI runtime create failed: runc create failed: unable to start container process: error during "
     "container init: error running prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as "
     "'legacy'\n"
     "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared "
     "object file: no such file or directory: unknown.\n"},
    {"container-image-needs-newer-driver",
     "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver "
     "to a newer version, or use an earlier cuda container: unknown\n"},
    {"container-cdi-spec-stale",
     "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all\n"},
    {"container-image-carries-driver",
     "nvidia-container-cli: mount error: file creation failed: "
     "/var/lib/docker/overlay2/1d/merged/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1: file exists: unknown\n"},
    {"container-ldconfig-path",
     "nvidia-container-cli: ldcache error: open failed: /sbin/ldconfig.real: no such file or directory: "
     "unknown.\n"},
    {"docker-build-has-no-gpus-flag",
     "unknown flag: --gpus\n"
     "See 'docker build --help'.\n"},
    {"k8s-no-free-gpu",
     "0/6 nodes are available: 2 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 4 "
     "Insufficient nvidia.com/gpu. preemption: 0/6 nodes are available: 2 Preemption is not helpful for "
     "scheduling, 4 No preemption victims found for incoming pod.\n"},
    {"k8s-nvidia-runtime-not-configured",
     "Warning  FailedCreatePodSandBox  3s (x14 over 3m)  kubelet  Failed to create pod sandbox: rpc error: "
     "code = Unknown desc = failed to get sandbox runtime: no runtime for \"nvidia\" is configured\n"
     "nvidia-device-plugin-daemonset-x  0/1  Init:0/1  0  3m\n"},
    {"k8s-no-driver-image-for-kernel",
     "Failed to pull image \"nvcr.io/nvidia/driver:570-6.8.0-1021-aws-ubuntu22.04\": rpc error: code = "
     "NotFound desc = failed to pull\n"
     "Warning  Failed  2s  kubelet  Error: ImagePullBackOff\n"},
    {"k8s-plugin-sees-no-driver",
     "E0611 12:00:00.1 factory.go:113] Incompatible platform detected\n"
     "E0611 12:00:00.1 factory.go:114] If this is a GPU node, did you configure the NVIDIA Container "
     "Toolkit?\n"
     "I0611 main.go:317] No devices found. Waiting indefinitely.\n"},
    {"k8s-kubelet-has-no-device",
     "Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
     "Requested: 1, Available: 0, which is unexpected\n"},
    {"k8s-device-marked-unhealthy",
     "I0601 12:00:00.1 server.go:245] 'nvidia.com/gpu' device marked unhealthy: GPU-1a2b3c4d-0000\n"},
    {"k8s-host-memory-limit",
     "    Last State:     Terminated\n"
     "      Reason:       OOMKilled\n"
     "      Exit Code:    137\n"},
    {"k8s-evicted",
     "Message:          The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, "
     "available: 2Gi.\n"},
    {"gpu-bound-to-vfio",
     "[ 1.1] vfio_pci: add [10de:2330[ffffffff:ffffffff]] class 0x000000/00000000\n"
     "No devices were found\n"},
    {"iommu-group-not-viable",
     "qemu-system-x86_64: -device vfio-pci,host=0000:3b:00.0: vfio 0000:3b:00.0: group 42 is not viable\n"
     "Please ensure all devices within the iommu_group are bound to their vfio bus driver.\n"},
    {"gpu-device-not-permitted", "Failed to initialize NVML: Insufficient Permissions\n"},
    {"driver-sees-no-gpu", "No devices were found\n"},
    {"vgpu-versions-incompatible",
     "nvidia-vgpu-mgr[3010]: error: vmiop_log: (0x0): Incompatible Guest/Host drivers: Host VGX version is "
     "older than the minimum version supported by the Guest. Disabling vGPU.\n"},
    {"mig-change-blocked",
     "Unable to enable MIG Mode for GPU 00000000:36:00.0: In use by another client\n"
     "00000000:36:00.0 is currently being used by one or more other processes\n"},
    {"driver-blacklisted",
     "$ cat /etc/modprobe.d/nvidia-off.conf\n"
     "blacklist nvidia\n"
     "blacklist nvidia_drm\n"},
    {"nouveau-owns-gpu",
     "$ lsmod | grep nouveau\n"
     "nouveau              2289664  0\n"
     "mxm_wmi                16384  1 nouveau\n"
     "$ sudo modprobe nvidia\n"
     "modprobe: ERROR: could not insert 'nvidia': No such device\n"},
    {"nvlink-subnet-manager-missing",
     "Jul 20 16:15:36 e nvidia-fabricmanager-start.sh[911]: Detected NVL5+ system\n"
     "Jul 20 16:15:36 e nvidia-fabricmanager-start.sh[911]: Kernel module \"ib_umad\" has not been loaded, "
     "fabric manager "
     "cannot be started\n"
     "Jul 20 16:15:36 e systemd[1]: nvidia-fabricmanager.service: Control process exited, code=exited, "
     "status=1/FAILURE\n"},
    {"nvlink-subnet-manager-missing",
     "h nvidia-fabricmanager-start.sh[4753]: Detected Pre-NVL5 system\n"
     "h nvidia-fabricmanager-start.sh[4756]: request to query NVSwitch device information from NVSwitch "
     "driver failed "
     "with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]\n"
     "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized\n"},
    {"passthrough-gpu-stuck",
     "[ 1211.1] vfio-pci 0000:41:00.0: Unable to change power state from D3cold to D0, device "
     "inaccessible\n"},
    {"disk-full",
     "zstd: error 70 : Write error : cannot write block : No space left on device\n"
     "E: mkinitramfs failure zstd -q -9 -T0 70\n"
     "dpkg: error processing package initramfs-tools (--configure):\n"},
};

INSTANTIATE_TEST_SUITE_P(All, InstallKind, ::testing::ValuesIn(kKinds));

TEST(InstallKinds, TwoGpusThatDoNotInitialiseAreTwoIncidents) {
  const model::Diagnosis diagnosis = diagnose(
      "NVRM: GPU 0000:81:00.0: RmInitAdapter failed! (0x24:0x65:1204)\n"
      "NVRM: GPU 0000:c1:00.0: RmInitAdapter failed! (0x24:0x65:1204)\n"
      "NVRM: GPU 0000:c1:00.0: rm_init_adapter failed, device minor number 1\n");
  ASSERT_EQ(diagnosis.findings.size(), 2u) << summary(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].cause, "gpu-does-not-answer-at-init");
  EXPECT_EQ(diagnosis.findings[1].cause, "gpu-does-not-answer-at-init");
  EXPECT_NE(diagnosis.findings[0].subject.id, diagnosis.findings[1].subject.id);
}

TEST(InstallKinds, FabricManagerWithoutSwitchesIsHarmless) {
  const model::Diagnosis diagnosis = diagnose(
      "h nv-fabricmanager[1540]: request to query NVSwitch device information from NVSwitch driver failed "
      "with "
      "error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]\n"
      "h systemd[1]: nvidia-fabricmanager.service: Control process exited, code=exited, status=1/FAILURE\n"
      "h systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.\n"
      "h systemd[1]: Failed to start NVIDIA fabric manager service.\n");
  EXPECT_TRUE(diagnosis.findings.empty()) << summary(diagnosis);
  ASSERT_EQ(diagnosis.harmless.size(), 1u);
  EXPECT_EQ(diagnosis.harmless.front().cause, "fabric-manager-not-needed");
}

TEST(InstallKinds, AHealthyBootSaysNothing) {
  const model::Diagnosis diagnosis = diagnose(
      "[    0.000000] Linux version 6.8.0-60-generic (buildd@host) (gcc-13)\n"
      "[    4.1] nvidia: loading out-of-tree module taints kernel.\n"
      "[    4.1] nvidia: module verification failed: signature and/or required key missing - tainting "
      "kernel\n"
      "[    4.2] nvidia-nvlink: Nvlink Core is being initialized, major device number 511\n"
      "[    4.3] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n"
      "[    4.4] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  580.65.06\n"
      "[    4.5] [drm] Initialized nvidia-drm 0.0.0 20160202 for 0000:01:00.0 on minor 1\n");
  EXPECT_TRUE(diagnosis.findings.empty()) << summary(diagnosis);
}

}  // namespace
}  // namespace gpuwright::tests
