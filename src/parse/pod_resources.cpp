// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/pod_resources.h"

#include "base/text.h"
#include "parse/protobuf.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace gpuwright::parse {

namespace {

constexpr std::size_t kMostContainers = 4096;
constexpr std::size_t kMostDevices = 256;
constexpr std::size_t kMostName = 253;  // of a pod: a DNS subdomain
constexpr std::size_t kMostId = 256;

// Field numbers of the messages.
constexpr std::uint32_t kPods = 1;
enum PodField : std::uint32_t { kPodName = 1, kPodNamespace = 2, kPodContainers = 3 };
enum ContainerField : std::uint32_t { kContainerName = 1, kContainerDevices = 2, kContainerClaims = 5 };
constexpr std::uint32_t kDeviceIds = 2;
constexpr std::uint32_t kClaimResources = 4;
enum ClaimField : std::uint32_t { kCdiDevices = 1, kDriver = 2, kPool = 3, kDeviceName = 4 };
constexpr std::uint32_t kCdiName = 1;

std::string text_of(std::string_view bytes) {
  return base::printable(bytes, kMostName);
}

std::optional<std::int64_t> small_number(std::string_view text) {
  constexpr std::int64_t kMost = 65'535;
  const auto number = base::parse_int(text);
  if (!number || *number < 0 || *number > kMost || !std::isdigit(static_cast<unsigned char>(text.front())))
    return std::nullopt;
  return number;
}

/// "8-4-4-4-12" digits.
bool is_uuid(std::string_view text) {
  constexpr std::size_t kSize = 36;
  constexpr std::array<std::size_t, 4> kDashes = {8, 13, 18, 23};
  if (text.size() != kSize) return false;
  for (std::size_t at = 0; at < kSize; ++at) {
    const bool dash = std::find(kDashes.begin(), kDashes.end(), at) != kDashes.end();
    if (dash ? text[at] != '-' : std::isxdigit(static_cast<unsigned char>(text[at])) == 0) return false;
  }
  return true;
}

bool set_number(std::string_view text, std::string_view prefix, std::int64_t& number) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const auto parsed = text.empty() ? std::nullopt : small_number(text);
  if (parsed) number = *parsed;
  return parsed.has_value();
}

/// "nvidia0/gi3/vgpu1" of GKE's plugin.
bool read_device_file(std::string_view id, GivenDevice& device) {
  const auto parts = base::split(id, '/');
  if (!set_number(parts[0], "nvidia", device.index)) return false;
  for (std::size_t at = 1; at < parts.size(); ++at) {
    if (!set_number(parts[at], "gi", device.gpu_instance) && !set_number(parts[at], "vgpu", device.vgpu))
      return false;
  }
  return true;
}

bool read_uuid(std::string_view id, GivenDevice& device) {
  if (id.starts_with("MIG-GPU-")) {  // before R470: GPU, its instance, and the compute instance in that
    const auto parts = base::split(id.substr(4), '/');
    if (parts.size() != 3 || !is_uuid(parts[0].substr(4))) return false;
    device.uuid = std::string(parts[0]);
    return set_number(parts[1], "", device.gpu_instance) && set_number(parts[2], "", device.compute_instance);
  }
  if (!id.starts_with("GPU-") && !id.starts_with("MIG-")) return false;
  if (!is_uuid(id.substr(4))) return false;
  device.uuid = std::string(id);
  return true;
}

void add_device(std::string_view id, GivenContainer& container) {
  GivenDevice device;
  if (container.devices.size() < kMostDevices && read_device_id(id, device))
    container.devices.push_back(std::move(device));
}

bool read_devices(std::string_view message, GivenContainer& container) {
  ProtobufReader reader(message);
  for (ProtobufField field; reader.next(field);) {
    if (field.number == kDeviceIds && field.has_bytes) add_device(field.bytes, container);
  }
  return reader.ok();
}

/// The id in a device of CDI: "nvidia.com/gpu=GPU-..." or "k8s.gpu.nvidia.com/claim=<claim>-gpu-0", which
/// names none.
bool read_cdi(std::string_view message, GivenDevice& device) {
  ProtobufReader reader(message);
  for (ProtobufField field; reader.next(field);) {
    if (field.number != kCdiName || !field.has_bytes || !device.uuid.empty()) continue;
    const std::size_t equals = field.bytes.rfind('=');
    GivenDevice named;
    if (equals != std::string_view::npos && read_device_id(field.bytes.substr(equals + 1), named)) {
      named.pool = device.pool;
      named.device = device.device;
      device = std::move(named);
    }
  }
  return reader.ok();
}

/// "gpu-3" and "gpu-3-mig-9-4-4" of NVIDIA's driver: the number is that of the device file.
void number_of_claim(GivenDevice& device) {
  std::string_view name = device.device;
  if (device.index >= 0 || !device.uuid.empty() || !name.starts_with("gpu-")) return;
  name.remove_prefix(4);
  name = name.substr(0, name.find('-'));
  if (const auto number = name.empty() ? std::nullopt : small_number(name)) device.index = *number;
}

bool read_claim_resource(std::string_view message, GivenContainer& container) {
  ProtobufReader reader(message);
  GivenDevice device;
  std::string driver;
  bool good = true;
  for (ProtobufField field; good && reader.next(field);) {
    if (!field.has_bytes) continue;
    if (field.number == kDriver) driver = text_of(field.bytes);
    if (field.number == kPool) device.pool = text_of(field.bytes);
    if (field.number == kDeviceName) device.device = text_of(field.bytes);
    if (field.number == kCdiDevices) good = read_cdi(field.bytes, device);
  }
  if (!good || !reader.ok()) return false;
  if (driver != "gpu.nvidia.com" || container.devices.size() >= kMostDevices) return true;
  number_of_claim(device);
  container.devices.push_back(std::move(device));
  return true;
}

bool read_claim(std::string_view message, GivenContainer& container) {
  ProtobufReader reader(message);
  bool good = true;
  for (ProtobufField field; good && reader.next(field);) {
    if (field.number == kClaimResources && field.has_bytes)
      good = read_claim_resource(field.bytes, container);
  }
  return good && reader.ok();
}

bool read_container(std::string_view message, GivenContainer& container) {
  ProtobufReader reader(message);
  bool good = true;
  for (ProtobufField field; good && reader.next(field);) {
    if (!field.has_bytes) continue;
    if (field.number == kContainerName) container.container = text_of(field.bytes);
    if (field.number == kContainerDevices) good = read_devices(field.bytes, container);
    if (field.number == kContainerClaims) good = read_claim(field.bytes, container);
  }
  return good && reader.ok();
}

bool read_pod(std::string_view message, std::vector<GivenContainer>& all) {
  ProtobufReader reader(message);
  std::string pod, pod_namespace;
  const std::size_t first = all.size();
  bool good = true;
  for (ProtobufField field; good && reader.next(field);) {
    if (!field.has_bytes) continue;
    if (field.number == kPodName) pod = text_of(field.bytes);
    if (field.number == kPodNamespace) pod_namespace = text_of(field.bytes);
    if (field.number != kPodContainers) continue;
    GivenContainer container;
    good = read_container(field.bytes, container);
    if (!container.devices.empty() && all.size() < kMostContainers) all.push_back(std::move(container));
  }
  for (std::size_t at = first; at < all.size(); ++at) {
    all[at].pod = pod;
    all[at].pod_namespace = pod_namespace;
  }
  return good && reader.ok();
}

}  // namespace

bool read_device_id(std::string_view id, GivenDevice& device) {
  if (id.size() > kMostId) return false;
  GivenDevice read;
  const std::size_t colons = id.find("::");
  if (colons != std::string_view::npos) {
    if (!set_number(id.substr(colons + 2), "", read.replica)) return false;
    id = id.substr(0, colons);
  }
  if (!read_uuid(id, read) && !read_device_file(id, read)) return false;
  device = std::move(read);
  return true;
}

base::Result<std::vector<GivenContainer>> read_pod_resources(std::string_view message) {
  std::vector<GivenContainer> all;
  ProtobufReader reader(message);
  bool good = true;
  for (ProtobufField field; good && reader.next(field);) {
    if (field.number == kPods && field.has_bytes) good = read_pod(field.bytes, all);
  }
  if (!good || !reader.ok())
    return base::make_error(base::ErrorKind::Malformed, "kubelet's answer is no list of pods' resources");
  return all;
}

}  // namespace gpuwright::parse
