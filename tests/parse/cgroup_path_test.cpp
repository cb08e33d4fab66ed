// Groups as each runtime names them.
// SPDX-License-Identifier: Apache-2.0
#include "parse/cgroup_path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

const std::string kId = "3f2b9c1e7d6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c";
const std::string kOther = "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffff0000000011111111";
const std::string kUid = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";
const std::string kUnderscored = "1b4e28ba_2fa1_11d2_883f_0016d3cca427";

/// What a path tells, as "key=value" words in a fixed order; empty ones left out.
std::string told(const std::string& text) {
  const parse::CgroupOwner owner = parse::read_cgroup(text);
  std::string all;
  const auto add = [&all](const char* key, const std::string& value) {
    if (value.empty()) return;
    if (!all.empty()) all += ' ';
    all += std::string(key) + "=" + (value == kId ? "ID" : value == kOther ? "OTHER" : value);
  };
  add("runtime", owner.runtime);
  add("container", owner.container);
  add("pod", owner.pod_uid == kUid ? "UID" : owner.pod_uid);
  add("qos", owner.pod_qos);
  add("job", owner.slurm_job);
  add("step", owner.slurm_step);
  add("task", owner.slurm_task);
  add("node", owner.slurm_node);
  add("machine", owner.machine);
  add("unit", owner.unit);
  add("session", owner.session);
  return all;
}

struct Form {
  const char* name;
  std::string path;
  std::string told;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      {"docker, systemd", "/system.slice/docker-" + kId + ".scope", "runtime=docker container=ID"},
      {"docker, cgroupfs", "/docker/" + kId, "runtime=docker container=ID"},
      {"docker, with a child", "/docker/" + kId + "/init.scope",
       "runtime=docker container=ID unit=init.scope"},
      {"rootless docker", "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" + kId + ".scope",
       "runtime=docker container=ID unit=user@1000.service"},
      {"containerd, systemd, guaranteed",
       "/kubepods.slice/kubepods-pod" + kUnderscored + ".slice/cri-containerd-" + kId + ".scope",
       "runtime=containerd container=ID pod=UID qos=guaranteed"},
      {"containerd, systemd, burstable",
       "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + kUnderscored +
           ".slice/cri-containerd-" + kId + ".scope",
       "runtime=containerd container=ID pod=UID qos=burstable"},
      {"kubelet, cgroupfs, best effort", "/kubepods/besteffort/pod" + kUid + "/" + kId,
       "container=ID pod=UID qos=besteffort"},
      {"kubelet, cgroupfs, guaranteed", "/kubepods/pod" + kUid + "/" + kId,
       "container=ID pod=UID qos=guaranteed"},
      {"static pod", "/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" + kId,
       "container=ID pod=0123456789abcdef0123456789abcdef qos=burstable"},
      {"containerd, cgroupfs driver given a systemd name",
       "/system.slice/containerd.service/kubepods-besteffort-pod" + kUnderscored +
           ".slice:cri-containerd:" + kId,
       "runtime=containerd container=ID pod=UID qos=besteffort unit=containerd.service"},
      {"CRI-O, systemd",
       "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" + kUnderscored + ".slice/crio-" +
           kId + ".scope",
       "runtime=crio container=ID pod=UID qos=besteffort"},
      {"CRI-O, with a child",
       "/kubepods.slice/kubepods-pod" + kUnderscored + ".slice/crio-" + kId + ".scope/container",
       "runtime=crio container=ID pod=UID qos=guaranteed"},
      {"CRI-O, cgroupfs", "/kubepods/burstable/pod" + kUid + "/crio-" + kId,
       "runtime=crio container=ID pod=UID qos=burstable"},
      {"CRI-O's conmon",
       "/kubepods.slice/kubepods-pod" + kUnderscored + ".slice/crio-conmon-" + kId + ".scope",
       "pod=UID qos=guaranteed"},
      {"kind: a node that is a container",
       "/docker/" + kOther + "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/" +
           "kubelet-kubepods-burstable-pod" + kUnderscored + ".slice/cri-containerd-" + kId + ".scope",
       "runtime=containerd container=ID pod=UID qos=burstable"},
      {"kind, cgroupfs", "/docker/" + kOther + "/kubelet/kubepods/besteffort/pod" + kUid + "/" + kId,
       "container=ID pod=UID qos=besteffort"},
      {"k3s", "/system.slice/k3s.service/kubepods/burstable/pod" + kUid + "/" + kId,
       "container=ID pod=UID qos=burstable unit=k3s.service"},
      {"docker in a pod", "/kubepods/burstable/pod" + kUid + "/" + kOther + "/docker/" + kId,
       "runtime=docker container=ID pod=UID qos=burstable"},
      {"podman, root", "/machine.slice/libpod-" + kId + ".scope/container", "runtime=podman container=ID"},
      {"podman, rootless",
       "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kId + ".scope/container",
       "runtime=podman container=ID unit=user@1000.service"},
      {"podman, cgroupfs", "/libpod_parent/libpod-" + kId, "runtime=podman container=ID"},
      {"podman's conmon", "/machine.slice/libpod-conmon-" + kId + ".scope", ""},
      {"podman of a unit", "/system.slice/train.service/libpod-payload-" + kId, "unit=train.service"},
      {"nerdctl", "/system.slice/nerdctl-" + kId + ".scope", "runtime=containerd container=ID"},
      {"ctr", "/default/" + kId, "runtime=containerd container=ID"},
      {"Slurm, v1", "/slurm/uid_1000/job_4711/step_0/task_3", "job=4711 step=0 task=3"},
      {"Slurm, v1, several slurmd", "/slurm_n2/uid_1000/job_4711/step_batch/task_0",
       "job=4711 step=batch task=0 node=n2"},
      {"Slurm, v2", "/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0",
       "job=4711 step=batch task=0"},
      {"Slurm, v2, several slurmd", "/system.slice/gpu-01_slurmstepd.scope/job_4711/step_7/user/task_special",
       "job=4711 step=7 node=gpu-01"},
      {"Slurm's own step daemon", "/system.slice/slurmstepd.scope/job_4711/step_extern/slurm",
       "job=4711 step=extern"},
      {"Slurm's infinite step", "/system.slice/slurmstepd.scope/system", ""},
      {"a user's own group of that name",
       "/user.slice/user-1000.slice/user@1000.service/slurm/uid_0/job_1/step_0", "unit=user@1000.service"},
      {"LXC, v1", "/lxc/web1/ns", "runtime=lxc container=web1"},
      {"LXC, v2", "/lxc.payload.web1/system.slice/train.service",
       "runtime=lxc container=web1 unit=train.service"},
      {"LXC, the folder", "/lxc.payload/web1", "runtime=lxc container=web1"},
      {"LXC's monitor", "/lxc.monitor.web1", ""},
      {"libvirt, systemd", "/machine.slice/machine-qemu\\x2d3\\x2dgpu\\x2dvm.scope/libvirt/emulator",
       "machine=gpu-vm"},
      {"libvirt, cgroupfs", "/machine/qemu-3-gpu-vm.libvirt-qemu/emulator", "machine=gpu-vm"},
      {"nspawn", "/machine.slice/systemd-nspawn@lab.service/payload", "runtime=nspawn container=lab"},
      {"machinectl", "/machine.slice/machine-lab\\x2d1.scope", "runtime=nspawn container=lab-1"},
      {"a service", "/system.slice/nvidia-persistenced.service", "unit=nvidia-persistenced.service"},
      {"a service of a template", "/system.slice/system-train.slice/train@a\\x2db.service",
       "unit=train@a-b.service"},
      {"a login", "/user.slice/user-1000.slice/session-3.scope", "unit=session-3.scope session=3"},
      {"a user's service", "/user.slice/user-1000.slice/user@1000.service/app.slice/jupyter.service",
       "unit=jupyter.service"},
      {"the root", "/", ""},
      {"a mount", "/system.slice/data.mount", ""},
      {"hex of another length", "/docker/" + kId.substr(1), ""},
      {"hex without a runtime", "/jobs/" + kId, ""},
      {"an id with a capital", "/docker/A" + kId.substr(1), ""},
      {"no pod's name", "/kubepods/burstable/podium", ""},
      {"a job without a number", "/slurm/uid_0/job_x/step_0", ""},
  };
  return kForms;
}

TEST(CgroupPath, EachRuntimesForm) {
  for (const Form& form : forms()) {
    EXPECT_EQ(told("0::" + form.path + "\n"), form.told) << form.name;
  }
}

TEST(CgroupPath, TheSameOnVersionOne) {
  for (const Form& form : forms()) {
    const std::string text =
        "12:pids:" + form.path + "\n11:cpu,cpuacct:" + form.path + "\n1:name=systemd:" + form.path + "\n";
    EXPECT_EQ(told(text), form.told) << form.name;
  }
}

TEST(CgroupPath, OfSeveralLinesTheOneThatTellsMost) {
  const std::string text =
      "13:misc:/\n9:memory:/slurm/uid_0/job_7/step_0/task_0\n"
      "4:cpu,cpuacct:/slurm/uid_0/job_7\n"
      "1:name=systemd:/system.slice/slurmd.service\n0::/system.slice/slurmd.service\n";
  EXPECT_EQ(told(text), "job=7 step=0 task=0");
  const parse::CgroupOwner owner = parse::read_cgroup(text);
  EXPECT_EQ(owner.cpu_path, "/slurm/uid_0/job_7");
  EXPECT_EQ(owner.unified_path, "/system.slice/slurmd.service");
}

TEST(CgroupPath, TheGroupIsThatOfTheOwner) {
  const auto group = [](const std::string& path) { return parse::read_cgroup("0::" + path).unified_path; };
  EXPECT_EQ(group("/system.slice/slurmstepd.scope/job_7/step_0/user/task_0"),
            "/system.slice/slurmstepd.scope/job_7");
  EXPECT_EQ(group("/machine.slice/libpod-" + kId + ".scope/container"),
            "/machine.slice/libpod-" + kId + ".scope");
  EXPECT_EQ(group("/kubepods/pod" + kUid + "/" + kId + "/a/b"), "/kubepods/pod" + kUid + "/" + kId);
  EXPECT_EQ(group("/system.slice/train.service/worker"), "/system.slice/train.service");
  EXPECT_EQ(group("/anything/else"), "/anything/else");
}

TEST(CgroupPath, AGroupThatIsGone) {
  EXPECT_EQ(told("0::/docker/" + kId + " (deleted)\n"), "runtime=docker container=ID");
}

TEST(CgroupPath, HostileTextsAreBoundedAndPrintable) {
  for (const std::string& text :
       std::vector<std::string>{"", "\n\n", "0:", "0::", "::", "0::relative", std::string(100'000, ':'),
                                "0::/" + std::string(100'000, 'a'), "0::" + std::string(4000, '/')})
    EXPECT_EQ(told(text), "") << text.substr(0, 40);
  EXPECT_EQ(told("0::/system.slice/a\\x1bb\x01.service"), "unit=a?b?.service");
}

}  // namespace
}  // namespace gpuwright::tests
