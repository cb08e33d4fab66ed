// Checks of containers: what they may see of the GPUs, and what their engines were told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/check.h"

namespace gpuwright::rules {

/// systemd knows the devices that it must keep in a container. Source: NVIDIA container toolkit,
/// troubleshooting.
model::Verdict check_char_links(Look look, const Situation& situation);
/// The CDI specifications name each GPU and MIG device, and files that are there. Source: CDI specification.
model::Verdict check_cdi_specs(Look look, const Situation& situation);
/// An image cannot take GPUs that nobody gave to it. Source: NVIDIA container toolkit, CVE notes.
model::Verdict check_env_grant(Look look, const Situation& situation);
/// Containers with a root of their own can open the device nodes. Source: user_namespaces(7).
model::Verdict check_user_namespaces(Look look, const Situation& situation);
/// The toolkit lets containers open their devices. Source: NVIDIA container toolkit, rootless mode.
model::Verdict check_device_rules(Look look, const Situation& situation);
/// The toolkit obeys NVIDIA_VISIBLE_DEVICES=none. Source: release notes of 1.18.2.
model::Verdict check_toolkit_version(Look look, const Situation& situation);
/// The driver is new enough for the images of the containers here. Source: CUDA compatibility guide.
model::Verdict check_container_cuda(Look look, const Situation& situation);
/// A container sees the verbs devices that it asked for. Source: GPU operator release notes.
model::Verdict check_container_rdma(Look look, const Situation& situation);

}  // namespace gpuwright::rules
